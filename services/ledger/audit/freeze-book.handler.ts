import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import {
  BookFrozen,
  FreezeBook as FreezeBookRequest,
  UnfreezeBook as UnfreezeBookRequest,
} from "../../../contracts/messages/books.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { type BookState, lockHeads } from "../posting/store/lock-books.ts";
import { appendStateChange, type BookStateChange, isChainHead } from "./store/freeze-log.ts";

/** An operator freezes a book, or unfreezes it after a proof (`npm run books`). The auditor calls `freeze` too. */
@Controller()
export class FreezeBook {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /** Refusals: `not_found`, `invalid_state_transition`. */
  @HandlesRequest(FreezeBookRequest)
  freeze(
    { by, reason }: z.output<typeof FreezeBookRequest.data>,
    { caller }: RequestContext,
  ): Promise<{ number: number }> {
    return this.#units.run(async (unit) => {
      await lockInState(unit, caller.book, ["Open", "Releasing"]);
      const number = await freeze(unit, caller.book, { reason, actor: `operator:${by}` });
      if (number === null) throw new TypeError("the head is locked, yet the book was not frozen");
      return { number };
    });
  }

  /** Refusals: `not_found`, `invalid_state_transition`, also if the book has changed since the proof. */
  @HandlesRequest(UnfreezeBookRequest)
  unfreeze(
    { by, reason, provenSequence, provenHead }: z.output<typeof UnfreezeBookRequest.data>,
    { caller }: RequestContext,
  ): Promise<{ number: number }> {
    return this.#units.run(async (unit) => {
      await lockInState(unit, caller.book, ["Frozen"]);
      if (!(await isChainHead(unit.sql, caller.book, provenSequence, provenHead))) {
        throw new Refusal(
          "invalid_state_transition",
          "The book has changed since this proof. Prove it again.",
        );
      }
      const change: BookStateChange = { state: "Releasing", reason, actor: `operator:${by}` };
      return { number: await appendStateChange(unit.sql, caller.book, change) };
    });
  }
}

/**
 * Freezes a book and publishes `BookFrozen`; returns null if it is frozen already. Takes the head's lock: a batch that
 * holds it commits first, and the next one sees the frozen state.
 */
export async function freeze(
  unit: UnitOfWork,
  book: BookId,
  change: Omit<BookStateChange, "state">,
): Promise<number | null> {
  const [head] = await lockHeads(unit.sql, [book]);
  if (head === undefined || head.state === "Frozen") return null;
  const number = await appendStateChange(unit.sql, book, { ...change, state: "Frozen" });
  unit.outbox.add(BookFrozen, { book, subject: book, sequence: number, data: { reason: change.reason } });
  return number;
}

/** Locks the head of a book in one of these states. Refusals: `not_found`, `invalid_state_transition`. */
export async function lockInState(
  unit: UnitOfWork,
  book: BookId,
  states: readonly BookState[],
): Promise<void> {
  const [head] = await lockHeads(unit.sql, [book]);
  if (head === undefined) throw new Refusal("not_found", "There is no such book.");
  if (states.includes(head.state)) return;
  throw new Refusal(
    "invalid_state_transition",
    `The book is ${head.state}; it must be ${states.join(" or ")}.`,
    {
      context: { currentStatus: head.state, allowedStatuses: states },
    },
  );
}
