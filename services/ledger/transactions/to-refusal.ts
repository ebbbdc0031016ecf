import { Refusal } from "../../../contracts/errors.ts";
import type { Rejection } from "../book/rejections.ts";

/** The request field that a rejection's code points to. */
const fields: Partial<Record<Rejection["code"], { readonly pointer: string; readonly message: string }>> = {
  unbalanced_transaction: { pointer: "/entries", message: "have debits and credits that differ" },
  effective_date_invalid: { pointer: "/effectiveAt", message: "is not possible here" },
};

/** The refusal for a rejection of `decide`. Throwing it rolls back everything, the stored outcome included. */
export function toRefusal({ code, detail }: Rejection, context?: Readonly<Record<string, unknown>>): Refusal {
  const field = fields[code];
  return new Refusal(code, detail, {
    ...(field === undefined ? {} : { errors: [{ ...field, code }] }),
    ...(context === undefined ? {} : { context }),
  });
}
