import { Refusal } from "../../../contracts/errors.ts";
import type { Rejection } from "../book/rejections.ts";

/** The fields that a rejection is about, where its code says so. */
const fields: Partial<Record<Rejection["code"], { readonly pointer: string; readonly message: string }>> = {
  unbalanced_transaction: { pointer: "/entries", message: "have debits and credits that differ" },
  effective_date_invalid: { pointer: "/effectiveAt", message: "is not possible here" },
};

/** The ledger's rejection as an answer. Thrown, it rolls everything back, the stored outcome too. */
export function toRefusal({ code, detail }: Rejection, context?: Readonly<Record<string, unknown>>): Refusal {
  const field = fields[code];
  return new Refusal(code, detail, {
    ...(field === undefined ? {} : { errors: [{ ...field, code }] }),
    ...(context === undefined ? {} : { context }),
  });
}
