import { z } from "zod";
import { event, request } from "../message.ts";

/**
 * The ledger froze a book: its proof failed, or an operator said so. Nothing is appended to it until BookUnfrozen. The
 * message's `sequence` numbers the words about a book: messages may come in any order, and the highest is in force.
 */
export const BookFrozen = event("ledger", "book-frozen", z.object({ reason: z.string() }));
/** A frozen book was proven and released, and what had waited for it was run. */
export const BookUnfrozen = event("ledger", "book-unfrozen", z.object({}));

/** Who says it, by name, and why: it stands in the record for ever. */
const word = {
  by: z
    .string("is missing")
    .min(1)
    .max(60)
    .regex(/^[\w.@-]+$/, { message: "a name, without spaces" }),
  reason: z.string("is missing").min(1).max(500),
};

/**
 * An operator freezes a book: `npm run books -- freeze`. Asked by the NATS user `operator` alone, in the name of the
 * book's tenant. Refused: `not_found`, `invalid_state_transition` (it is frozen).
 */
export const FreezeBook = request("ledger", "freeze-book", z.object(word), z.object({ number: z.int() }));

/**
 * An operator has proven a frozen book and lets it go on. The proof is of one head: where the book has another, it is
 * refused. The commands that waited run behind the answer. Refused: `not_found`, `invalid_state_transition`.
 */
export const UnfreezeBook = request(
  "ledger",
  "unfreeze-book",
  z.object({ ...word, provenSequence: z.int(), provenHead: z.string().regex(/^[0-9a-f]{64}$/) }),
  z.object({ number: z.int() }),
);
