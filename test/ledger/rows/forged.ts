/** Journals that the service would never append, with correct running totals unless the test falsifies them too. */
import {
  type LedgerAccountId,
  newId,
  newUuid,
  type PaymentOrderId,
  uuidOf,
} from "../../../contracts/ids/ids.ts";
import { countEntry } from "../../../services/ledger/book/account.ts";
import type { Journal, JournalKind, Line } from "../../../services/ledger/book/journal.ts";
import { sampleBook } from "../commands.ts";
import { readAccounts } from "../../../services/ledger/posting/store/accounts.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import type { LedgerWorld } from "../world.ts";

/** A Posted line. */
export function line(
  accountId: LedgerAccountId,
  direction: Line["direction"],
  cents: number,
  more: Partial<Line> = {},
) {
  const posted = { currency: "USD", layer: "Posted", role: "Normal" } as const;
  return { accountId, direction, amountCents: BigInt(cents), ...posted, ...more } satisfies Line;
}
/** Five cents from one account to another. */
export const movedBetween = (
  debited: LedgerAccountId,
  credited: LedgerAccountId,
  more: Partial<Line> = {},
  cents = 5,
) => [line(debited, "Debit", cents, more), line(credited, "Credit", cents, more)];
/** The opposite of that, line by line. */
export const movedBack = (...moved: Parameters<typeof movedBetween>) =>
  movedBetween(...moved).map((one) => ({
    ...one,
    direction: one.direction === "Debit" ? ("Credit" as const) : ("Debit" as const),
  }));
export const pending = { layer: "Pending" } as const;
export const discharge = { layer: "Pending", role: "Discharge" } as const;

/** The ids of an order and its transaction, which share one uuid. */
export const ordered = (orderId: PaymentOrderId = newId("po")) =>
  ({ orderId, transactionId: `lt_${orderId.slice("po_".length)}` }) as const;

/** Who attacks a ledger: each may do what the other may not. */
export const attackersOf = ({ service, superuser }: Pick<LedgerWorld, "service" | "superuser">) =>
  [
    ["the service's own role", service],
    ["a superuser", superuser],
  ] as const;

/** The next journal of the sample book, with these lines. */
export async function forged(
  sql: Sql,
  kind: JournalKind,
  lines: readonly Line[],
  more: Partial<Journal> = {},
): Promise<Journal> {
  const [head] = await sql<{ last_seq: bigint }>("select last_seq from book_head where book_id = $1", [
    uuidOf(sampleBook),
  ]);
  const read = await readAccounts(
    sql,
    lines.map(({ accountId }) => ({ book: sampleBook, id: accountId })),
  );
  const accounts = new Map(read.map(({ account }) => [account.id, account]));
  const entries = lines.map((one, index) => {
    // An account of another book has no balance here: its first entry would be version 1.
    const before = accounts.get(one.accountId) ?? { ...read[0]!.account, id: one.accountId, version: 0 };
    const counters = countEntry(before.counters, one.layer, one.role, one.direction, one.amountCents);
    accounts.set(one.accountId, { ...before, version: before.version + 1, counters });
    return { ...one, line: index + 1, version: before.version + 1, totals: counters };
  });
  return {
    book: sampleBook,
    sequence: Number(head!.last_seq) + 1,
    kind,
    transactionId: newId("lt"),
    orderId: null,
    commandId: newUuid(),
    resolves: null,
    reverses: null,
    effectiveAt: "2026-03-02T15:00:00.000Z",
    detailsDigest: null,
    entries,
    ...more,
  };
}
