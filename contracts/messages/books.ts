import { z } from "zod";
import { sha256 } from "../http/shapes.ts";
import { event, overtakingEvent, request } from "../message.ts";
import { operatorName } from "../text/operator-name.ts";

/**
 * The ledger froze a book because its proof failed or an operator asked for it. Until BookUnfrozen, only deferred
 * commands are appended to the book, after an operator has unfrozen it. The message's `sequence` counts a book's
 * freezes and unfreezes: messages may arrive in any order, and the highest number is in force.
 */
export const BookFrozen = overtakingEvent("ledger", "book-frozen", z.object({ reason: z.string() }));
/** An operator has proven a frozen book and unfrozen it, and the ledger has run its deferred commands. */
export const BookUnfrozen = overtakingEvent("ledger", "book-unfrozen", z.object({}));

/** The heads of a book's journals and accounts, after so many of each. */
export const bookHeads = z.object({
  journals: z.int().min(1),
  head: sha256,
  accounts: z.int().min(1),
  accountsHead: sha256,
});
export type BookHeads = Readonly<z.output<typeof bookHeads>>;
/**
 * The heads of a book at a checkpoint that the ledger's auditor has verified. Orders stores them, so that a book whose
 * newest rows were removed differs from what it published. At most one per book and CHECKPOINT_MINUTES.
 */
export const CheckpointMade = event("ledger", "checkpoint-made", bookHeads);

/** The operator's name and reason. The freeze log keeps both. */
const operatorReason = {
  by: operatorName,
  reason: z.string("is missing").min(1).max(500),
};

/**
 * An operator freezes a book: `npm run books -- freeze`. Only the NATS user `operator` may send it, on behalf of the
 * book's tenant. Refusals: `not_found`, `invalid_state_transition` (the book is already frozen).
 */
export const FreezeBook = request(
  "ledger",
  "freeze-book",
  z.object(operatorReason),
  z.object({ number: z.int() }),
);

/**
 * An operator has proven a frozen book and unfreezes it. The proof names one head of the chain: a book with another
 * head refuses it. The deferred commands run after the reply. Refusals: `not_found`, `invalid_state_transition`.
 */
export const UnfreezeBook = request(
  "ledger",
  "unfreeze-book",
  z.object({ ...operatorReason, provenSequence: z.int(), provenHead: sha256 }),
  z.object({ number: z.int() }),
);

/**
 * An operator has the ledger try a quarantined command again: `npm run books -- retry`. It is applied once, or stays
 * quarantined with its new failure. Refusals: `not_found` (no quarantined command at this position of the book),
 * `invalid_state_transition` (the book is not open).
 */
export const RetryCommand = request(
  "ledger",
  "retry-command",
  z.object({ ...operatorReason, position: z.int().min(1) }),
  z.object({
    /** Why it stays quarantined; null if it was applied. */
    failure: z.string().nullable(),
    /** The code of the failure, if it has one. */
    code: z.string().nullable(),
  }),
);

/**
 * An operator leaves a deferred command of a frozen book out, so that the others can be replayed: `npm run books --
 * quarantine`. One that is quarantined already stays as it is. Refusals: `not_found` (no deferred command at this
 * position of the book), `invalid_state_transition` (the command waits, and the book is not frozen).
 */
export const QuarantineCommand = request(
  "ledger",
  "quarantine-command",
  z.object({ ...operatorReason, position: z.int().min(1) }),
  z.object({
    /** False if it was quarantined before: nothing was changed. */
    isNew: z.boolean(),
    /** Why it is quarantined. */
    failure: z.string(),
  }),
);

/**
 * An operator drops a quarantined command for good: `npm run books -- drop`. If the bank has moved its money, the first
 * operator proposes that, and another one drops it. Refusals: `not_found` (no deferred command at this position of the
 * book), `invalid_state_transition` (the command waits for its turn).
 */
export const DropCommand = request(
  "ledger",
  "drop-command",
  z.object({ ...operatorReason, position: z.int().min(1) }),
  z.object({
    outcome: z.enum(["Dropped", "DroppedBefore", "Proposed"]),
    /** What it means for the book; null if the bank has not moved its money, or it was dropped before. */
    warning: z.string().nullable(),
  }),
);
