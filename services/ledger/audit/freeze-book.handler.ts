import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  BookFrozen,
  FreezeBook as FreezeBookRequest,
  UnfreezeBook as UnfreezeBookRequest,
} from "../../../contracts/messages/books.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { type BookState, lockHeads } from "../posting/store/lock-books.ts";
import { appendWord, type FreezeWord } from "./store/freeze-log.ts";

/** An operator's word on a book: `npm run books`. The auditor freezes by `freeze` too. */
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
      await lockedIn(unit, caller.book, ["Open", "Releasing"]);
      const number = await freeze(unit, caller.book, { reason, by: `operator:${by}` });
      if (number === null) throw new TypeError("its head is locked, and it was not frozen");
      return { number };
    });
  }

  /** Refusals: `not_found`, `invalid_state_transition`, also where the proof was of another head. */
  @HandlesRequest(UnfreezeBookRequest)
  unfreeze(
    { by, reason, provenSequence, provenHead }: z.output<typeof UnfreezeBookRequest.data>,
    { caller }: RequestContext,
  ): Promise<{ number: number }> {
    return this.#units.run(async (unit) => {
      await lockedIn(unit, caller.book, ["Frozen"]);
      const [head] = await unit.sql<{ last_seq: bigint; head: string }>(
        "select last_seq, encode(head_hash, 'hex') as head from book_head where book_id = $1",
        [uuidOf(caller.book)],
      );
      if (head?.last_seq !== BigInt(provenSequence) || head.head !== provenHead) {
        throw new Refusal(
          "invalid_state_transition",
          "The proof is of another head than the book's. Prove it again.",
        );
      }
      const word: FreezeWord = { state: "Releasing", reason, by: `operator:${by}` };
      return { number: await appendWord(unit.sql, caller.book, word) };
    });
  }
}

/**
 * Freezes a book and tells everybody, or gives null where it is frozen. Takes the head's lock: the batch that has it
 * commits first, and the next one sees that the book is frozen.
 */
export async function freeze(
  unit: UnitOfWork,
  book: BookId,
  word: Omit<FreezeWord, "state">,
): Promise<number | null> {
  const [head] = await lockHeads(unit.sql, [book]);
  if (head === undefined || head.state === "Frozen") return null;
  const number = await appendWord(unit.sql, book, { ...word, state: "Frozen" });
  unit.outbox.add(BookFrozen, { book, subject: book, sequence: number, data: { reason: word.reason } });
  return number;
}

async function lockedIn(unit: UnitOfWork, book: BookId, states: readonly BookState[]): Promise<void> {
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
