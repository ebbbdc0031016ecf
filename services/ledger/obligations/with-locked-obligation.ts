import { Inject, Injectable } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type { ObligationWithHistory } from "../../../contracts/http/ledger/obligations.ts";
import { isId } from "../../../contracts/ids/ids.ts";
import { requireVersion } from "../../../contracts/if-match.ts";
import { notFound } from "../../../contracts/not-found.ts";
import type { RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { Obligation, ObligationRejection, ObligationStatus } from "../book/obligation.ts";
import { readObligationView } from "./query-obligations.handler.ts";
import { lockBooks } from "../posting/store/lock-books.ts";
import { historyBytesOf, readObligations } from "../posting/store/obligations.ts";

/**
 * The longest history that takes one more change. An answer can have 1 MiB: it holds the history, and the current lines
 * once more, at most 160 KiB. An amendment adds an event with as many. The few events of a payment are small, so an
 * obligation that can't be amended any more can still be paid a few hundred times.
 */
const maxHistoryBytes = { amend: 512 * 1_024, remit: 768 * 1_024 } as const;

/** True if the obligation's history is too long for one more such change. */
export async function isHistoryFull(
  sql: Sql,
  { book, id }: Obligation,
  change: keyof typeof maxHistoryBytes,
): Promise<boolean> {
  return (await historyBytesOf(sql, book, id)) > maxHistoryBytes[change];
}

/** The obligation that a caller names, and the versions that its If-Match allows; any if it is absent. */
export interface ObligationTarget {
  readonly id: string;
  readonly ifMatch?: readonly number[] | undefined;
}

/**
 * Shared by edit, fix, amend and remit: locks the book's head, reads the obligation, runs the change and answers with
 * the new state. The head's lock orders concurrent requests: of a remit and an amendment, the second sees the first
 * one's change.
 */
@Injectable()
export class ObligationWriter {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /**
   * If `write` throws a `Refusal`, nothing is written and the idempotency key stays free. Refusals: `not_found`,
   * `precondition_failed`.
   */
  run(
    { id, ifMatch }: ObligationTarget,
    context: RequestContext,
    name: string,
    write: (obligation: Obligation, unit: UnitOfWork) => Promise<unknown>,
  ): Promise<ObligationWithHistory | IdempotentReplay<ObligationWithHistory>> {
    const operation = { name, resourceId: (view: ObligationWithHistory) => view.id };
    const { book } = context.caller;
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        if (!isId("ob", id)) throw notFound("obligation");
        await lockBooks(unit.sql, [book]);
        const [obligation] = await readObligations(unit.sql, [{ book, id }]);
        if (obligation === undefined) throw notFound("obligation");
        requireVersion("obligation", obligation, ifMatch);
        await write(obligation, unit);
        return readObligationView(unit.sql, book, id);
      }),
    );
  }
}

export function refusalOf({ code, detail, context }: ObligationRejection): Refusal {
  return new Refusal(code, detail, context === undefined ? {} : { context });
}

/** Refusals: `invalid_state_transition` if its status is not among these. */
export function requireStatus(
  { status, paymentOrderId }: Obligation,
  allowedStatuses: readonly ObligationStatus[],
  hint: string,
): void {
  if (allowedStatuses.includes(status)) return;
  throw new Refusal("invalid_state_transition", `The obligation is ${status}. ${hint}`, {
    context: {
      currentStatus: status,
      allowedStatuses,
      ...(paymentOrderId === null ? {} : { paymentOrderId }),
    },
  });
}
