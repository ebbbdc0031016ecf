import type { Obligation } from "../../../typescript/types.gen.ts";

type Line = Pick<Obligation["lines"][number], "amountCents">;

export function sumOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { amountCents }) => sum + amountCents, 0);
}

/** What is paid of the amount that is booked, in cents. */
export function paidOf({
  fixedCents,
  outstandingCents,
}: Pick<Obligation, "fixedCents" | "outstandingCents">): number {
  return fixedCents - outstandingCents;
}
