import { Refusal } from "../../../contracts/errors.ts";

/** The header with the moment at which a request's caller stops waiting: Unix time in milliseconds. */
export const deadlineHeader = "deadline";

export interface WithDeadline {
  readonly deadline?: number | undefined;
}

/** The refusal of a request whose caller has stopped waiting; undefined while it waits, or if it named no deadline. */
export function lateRefusal({ deadline }: WithDeadline): Refusal | undefined {
  if (deadline === undefined || Date.now() <= deadline) return undefined;
  return new Refusal(
    "upstream_timeout",
    "The caller's deadline had passed: the request was not carried out.",
  );
}

/**
 * Throws the refusal of a late request. A write checks before it begins, and again before it commits, because it may
 * have waited for a lock. The caller knows only that the write may have been carried out; mostly it then was not.
 */
export function refuseIfLate(request: WithDeadline): void {
  const refusal = lateRefusal(request);
  if (refusal !== undefined) throw refusal;
}

/** The deadline in a message's header; undefined without one, as from an instance of the version before. */
export function deadlineIn(header: string | undefined): number | undefined {
  const deadline = Number(header);
  return header === undefined || header === "" || !Number.isFinite(deadline) ? undefined : deadline;
}
