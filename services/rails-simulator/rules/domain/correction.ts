import { type ErrorCode, Refusal } from "../../../../contracts/errors.ts";
import { isValidRoutingNumber } from "../../../../contracts/rails/routing-number.ts";
import { correctedBy } from "./fault-needs.ts";
import type { CorrectedData } from "./rule.ts";

/**
 * A notice of change corrects what its code says, no more and no less. Refusals: `missing_field`, `invalid_field`,
 * `invalid_routing_number`.
 */
export function rejectBadCorrection({
  code = "",
  correctedData = {},
}: {
  readonly code?: string | undefined;
  readonly correctedData?: CorrectedData | undefined;
}): void {
  const wanted = correctedBy[code] ?? [];
  for (const name of wanted) {
    if (correctedData[name] === undefined) throw missing(`/correctedData/${name}`, code);
  }
  for (const name of Object.keys(correctedData) as (keyof CorrectedData)[]) {
    if (correctedData[name] !== undefined && !wanted.includes(name)) {
      throw misfit(`/correctedData/${name}`, `${code} corrects ${wanted.join(", ")} only.`);
    }
  }
  const { routingNumber } = correctedData;
  if (routingNumber === undefined || isValidRoutingNumber(routingNumber)) return;
  const detail = "Send a nine-digit ABA routing number with a valid checksum.";
  throw fieldRefusal("invalid_routing_number", "/correctedData/routingNumber", detail);
}

export const misfit = (pointer: string, detail: string) => fieldRefusal("invalid_field", pointer, detail);
export const missing = (pointer: string, of: string) =>
  fieldRefusal("missing_field", pointer, `Send ${pointer.slice(1).replace("/", ".")}: ${of} needs it.`);

export function fieldRefusal(
  code: ErrorCode,
  pointer: string,
  detail: string,
  context: Record<string, unknown> = {},
): Refusal {
  return new Refusal(code, detail, { errors: [{ pointer, code, message: detail }], context });
}
