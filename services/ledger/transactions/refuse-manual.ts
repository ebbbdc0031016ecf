import { Refusal } from "../../../contracts/errors.ts";
import type { LedgerTransaction } from "../../../contracts/http/ledger/ledger-transactions.ts";
import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { Outcome } from "../book/book-state.ts";
import { rejectEffectiveDate } from "../book/effective-date.ts";
import { bookBegan } from "../posting/store/lock-books.ts";
import { closedThrough } from "../posting/store/accounting-periods.ts";

/** Only a figure that is real is posted: Demo and Missing rest. */
export function refuseBasis(basis: LedgerTransaction["basis"]): void {
  if (basis === "Demo") {
    throw new Refusal(
      "basis_is_demo_data",
      "The figure rests on demo data and can't be posted. Send the actual figure with the basis Actual.",
    );
  }
  if (basis === "Missing") {
    throw new Refusal(
      "basis_missing_input",
      "The figure lacks an input and can't be posted. Send it with the basis Actual once it is known.",
    );
  }
}

/** The book's head must be locked: then no period closes before the commit. */
export async function refuseDate(sql: Sql, book: BookId, effectiveAt: Date): Promise<void> {
  const [began, closed] = await Promise.all([bookBegan(sql, uuidOf(book)), closedThrough(sql, book)]);
  if (began === undefined) return; // No account of it can be named either: the ledger says so.
  const reason = rejectEffectiveDate(effectiveAt, { now: new Date(), began, closedThrough: closed });
  if (reason !== null) throw effectiveDateInvalid(reason.detail);
}

/** By day, too, a hold ends no earlier than it began: else less than nothing would be held in between. */
export function refuseBeforeHold({ effectiveAt: held }: LedgerTransaction, effectiveAt: Date): void {
  if (effectiveAt >= new Date(held)) return;
  throw effectiveDateInvalid(
    `The transaction holds money since ${held}. Date it then or later, or leave effectiveAt out.`,
  );
}

function effectiveDateInvalid(detail: string): Refusal {
  return new Refusal("effective_date_invalid", detail, {
    errors: [{ pointer: "/effectiveAt", code: "effective_date_invalid", message: "is not possible here" }],
  });
}

/** A refused outcome as an answer: thrown, it rolls back all, the outcome too. */
export function refusalFor(
  { code, detail }: Extract<Outcome, { result: "Refused" }>,
  context: Readonly<Record<string, unknown>> = {},
): Refusal {
  return new Refusal(code, detail, { context });
}
