import { Inject, Injectable } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type { ObligationWithHistory } from "../../../contracts/http/ledger/obligations.ts";
import { isId } from "../../../contracts/ids/ids.ts";
import { notFound } from "../../../contracts/not-found.ts";
import type { RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { Obligation, ObligationRejection, ObligationStatus } from "../book/obligation.ts";
import { readObligationView } from "./query-obligations.handler.ts";
import { lockBooks } from "../posting/store/lock-books.ts";
import { readObligations } from "../posting/store/obligations.ts";

/**
 * What edit, fix, amend and remit share: lock the book's head, read the one obligation, decide, write, answer with what
 * it became. The head is the referee: of a remit and an amendment that meet here, the second sees what the first did.
 */
@Injectable()
export class ObligationWriter {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /** `write` changes it or throws a `Refusal`; then nothing is written, and a key is free again. */
  run(
    id: string,
    ask: RequestContext,
    name: string,
    write: (obligation: Obligation, unit: UnitOfWork) => Promise<unknown>,
  ): Promise<ObligationWithHistory | IdempotentReplay<ObligationWithHistory>> {
    const operation = { name, resourceId: (view: ObligationWithHistory) => view.id };
    const { book } = ask.caller;
    return this.#units.run((unit) =>
      withIdempotency(unit, ask, operation, async () => {
        if (!isId("ob", id)) throw notFound("obligation");
        await lockBooks(unit.sql, [book]);
        const [obligation] = await readObligations(unit.sql, [{ book, id }]);
        if (obligation === undefined) throw notFound("obligation");
        await write(obligation, unit);
        return readObligationView(unit.sql, book, id);
      }),
    );
  }
}

export function refusalOf({ code, detail, context }: ObligationRejection): Refusal {
  return new Refusal(code, detail, context === undefined ? {} : { context });
}

/** Refusal: `invalid_state_transition`, where its status permits no such thing. */
export function requireStatus(
  { status, paymentOrderId }: Obligation,
  allowedStatuses: readonly ObligationStatus[],
  clears: string,
): void {
  if (allowedStatuses.includes(status)) return;
  throw new Refusal("invalid_state_transition", `The obligation is ${status}. ${clears}`, {
    context: {
      currentStatus: status,
      allowedStatuses,
      ...(paymentOrderId === null ? {} : { paymentOrderId }),
    },
  });
}
