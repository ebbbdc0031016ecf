import { Refusal } from "../../../contracts/errors.ts";

/** The header with the moment at which a request's caller stops waiting: Unix time in milliseconds. */
export const deadlineHeader = "deadline";

export interface WithDeadline {
  readonly deadline?: number | undefined;
}

/** The refusal of a request whose caller has stopped waiting; undefined while it waits, or if it named no deadline. */
export function lateRefusal({ deadline }: WithDeadline): Refusal | undefined {
  return deadline === undefined || Date.now() <= deadline ? undefined : tooLate();
}

/**
 * The refusal of a request that has no answer before its caller stops waiting. Whoever answers the tenant adds what to
 * do: only a write may have been carried out.
 */
export function tooLate(): Refusal {
  return new Refusal("upstream_timeout", "The service did not answer in time.");
}

/** The answer's way back. A commit after that would be answered to nobody. */
const answerMs = 20;

/** The moment after which a request's transaction must not commit. */
export function endOfTransaction({ deadline }: WithDeadline): number | undefined {
  return deadline === undefined ? undefined : deadline - answerMs;
}

/**
 * Refuses a late request. A write checks before it begins; after that Postgres ends its transaction in time. The caller
 * knows only that the write may have been carried out: it was if its commit had begun.
 */
export function refuseIfLate(request: WithDeadline): void {
  const refusal = lateRefusal(request);
  if (refusal !== undefined) throw refusal;
}

/**
 * The first deadline of requests that share a transaction. A late one counts no more: it is refused alone, and the
 * others go on.
 */
export function earliestDeadline(requests: readonly WithDeadline[]): WithDeadline {
  const deadlines = requests.flatMap((request) =>
    request.deadline === undefined || lateRefusal(request) !== undefined ? [] : [request.deadline],
  );
  return deadlines.length === 0 ? {} : { deadline: Math.min(...deadlines) };
}

/** The deadline in a message's header; undefined without one, as from an instance of the previous release. */
export function deadlineIn(header: string | undefined): number | undefined {
  const deadline = Number(header);
  return header === undefined || header === "" || !Number.isFinite(deadline) ? undefined : deadline;
}
