/** Books with a past: batches recorded at times that the test chooses, and the sums of their entries. */
import { type BookId, idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  countEntry,
  type Counters,
  type Layer,
  type Role,
  type Side,
  zeroCounters,
} from "../../../services/ledger/book/account.ts";
import type { LedgerCommand } from "../../../services/ledger/book/commands.ts";
import { postJournals } from "../../../services/ledger/posting/post-journals.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import type { TestUnits } from "../../stack/database/units.ts";
import { newWorld, type SequenceWorld } from "../model/sequences.ts";
import { ofBook } from "./written.ts";

/** Makes `at` the database's time when it dates a batch. Times must rise from batch to batch. */
export function recordedAt(sql: Sql, at: string): Sql {
  return (text, params) =>
    sql(text.replace("clock_timestamp() as reading", `'${at}'::timestamptz as reading`), params);
}

/** A world whose account ids are of that time. */
export function worldOf(openedAt: string): SequenceWorld {
  const world = newWorld();
  const time = Date.parse(openedAt).toString(16).padStart(12, "0");
  const accounts = world.accounts.map((account) => {
    const made = `${time.slice(0, 8)}-${time.slice(8)}${uuidOf(account.id).slice(13)}`;
    return { ...account, id: idOf("la", made) };
  });
  return { ...world, accounts };
}

export function writeAt(store: TestUnits, book: BookId, at: string, commands: readonly LedgerCommand[]) {
  return store.units.run(({ sql }) => postJournals(recordedAt(sql, at), ofBook(book, commands)));
}

/** An entry with both of its times. */
export interface PastEntry {
  readonly sequence: number;
  readonly accountId: string;
  readonly class: string;
  readonly layer: Layer;
  readonly role: Role;
  readonly direction: Side;
  readonly amountCents: bigint;
  /** Milliseconds since 1970 of its batch's last journal, rounded down. */
  readonly checkpointMs: number;
  readonly effectiveMs: number;
}

/** Every entry of a book, in order, from the rows alone. */
export async function entriesOf(sql: Sql, book: BookId): Promise<PastEntry[]> {
  const rows = await sql<{
    seq: bigint;
    account_id: string;
    class: string;
    layer: Layer;
    role: Role;
    direction: Side;
    amount_cents: bigint;
    checkpoint_at: Date;
    effective_at: Date;
  }>(
    `select e.seq, e.account_id, a.class, e.layer, e.role, e.direction, e.amount_cents, s.recorded_at as checkpoint_at, j.effective_at
     from entry e
     join journal j using (book_id, seq)
     join account a using (book_id, account_id)
     join checkpoint s on s.book_id = e.book_id and e.seq between s.first_seq and s.last_seq
     where e.book_id = $1
     order by e.seq, e.line`,
    [uuidOf(book)],
  );
  return rows.map((row) => ({
    sequence: Number(row.seq),
    accountId: row.account_id,
    class: row.class,
    layer: row.layer,
    role: row.role,
    direction: row.direction,
    amountCents: row.amount_cents,
    checkpointMs: row.checkpoint_at.getTime(),
    effectiveMs: row.effective_at.getTime(),
  }));
}

/** The counters that some entries add up to. */
export function folded(entries: readonly PastEntry[]): Counters {
  return entries.reduce(
    (counters, { layer, role, direction, amountCents }) =>
      countEntry(counters, layer, role, direction, amountCents),
    zeroCounters,
  );
}

const newYork = new Intl.DateTimeFormat("en-CA", { timeZone: "America/New_York", dateStyle: "short" });
/** The day in New York, by the runtime's own calendar. */
export const dayOf = (ms: number) => newYork.format(ms);
