import { z } from "zod";

const writtenMoment = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/**
 * The moment that an operator wrote: a date, or a time with its zone. Undefined for anything else, and for a day that
 * does not exist: `new Date` alone reads 30 February as 2 March.
 */
export function momentOf(text: string): Date | undefined {
  return writtenMoment.safeParse(text).success ? new Date(text) : undefined;
}
