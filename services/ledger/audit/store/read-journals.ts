import { type BookId, idOf, type LedgerAccountId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { AccountClass, Layer, Role, Side } from "../../book/account.ts";
import { type Origin, originOf, type Checkpoint } from "../domain/hash-chain.ts";
import type { Entry, Journal, JournalKind } from "../../book/journal.ts";
import type { Digested, DigestVersion } from "../../book/canonical.ts";
import { countersIn } from "../domain/journal-json.ts";
import type { ClassTotal } from "../../book/accounting-equation.ts";
import { type CounterColumns, countersOf } from "../../posting/store/accounts.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import { digestsOfDetails } from "./read-details.ts";

export interface ChainHead {
  readonly book: BookId;
  readonly uuid: string;
  readonly lastSequence: number;
  readonly head: string;
}

const bookBatchSize = 500;

/** The heads of all books, or of one, by stored id. Reads a page at a time. */
export async function* eachHead(sql: Sql, only: BookId | undefined): AsyncGenerator<ChainHead> {
  let after: string | null = null;
  for (;;) {
    const rows: { book_id: string; last_seq: bigint; head: string }[] = await sql(
      `select book_id, last_seq, encode(head_hash, 'hex') as head
       from book_head
       where ($1::uuid is null or book_id = $1)
         and ($2::uuid is null or book_id > $2)
       order by book_id
       limit $3`,
      [only === undefined ? null : uuidOf(only), after, bookBatchSize],
    );
    for (const { book_id: uuid, last_seq, head } of rows) {
      yield { book: idOf("book", uuid), uuid, lastSequence: Number(last_seq), head };
    }
    after = rows.at(-1)?.book_id ?? null;
    if (rows.length < bookBatchSize) return;
  }
}

/** A stored journal with its digest and, if it ends a batch, its checkpoint. */
export interface StoredJournal extends Digested {
  readonly journal: Journal;
  readonly digest: string;
  /** From the header. */
  readonly lineCount: number;
  readonly checkpoint: Checkpoint | null;
}

interface HeaderRow {
  seq: bigint;
  kind: JournalKind;
  transaction_id: string;
  order_id: string | null;
  command_id: string;
  resolves_seq: bigint | null;
  reverses_seq: bigint | null;
  effective_at: Date;
  digest: string;
  digest_version: DigestVersion;
  recorded_at: string;
  line_count: number;
  first_seq: bigint;
  checkpoint_head: string | null;
  /** Sums over all accounts: numeric, which the driver returns as text. */
  posted_debit: string;
  posted_credit: string;
  pending_debit: string;
  pending_credit: string;
  checkpoint_classes: [AccountClass, Side, string, ...string[]][] | null;
}

interface LineRow extends CounterColumns {
  seq: bigint;
  account_version: bigint;
  line: number;
  account_id: string;
  currency: string;
  layer: Layer;
  role: Role;
  direction: Side;
  amount_cents: bigint;
}

const lineColumns = `e.seq, e.line, e.account_id, e.currency, e.layer, e.role, e.direction, e.amount_cents,
  e.account_version, e.held_debit, e.held_credit, e.released_debit, e.released_credit, e.posted_debit, e.posted_credit`;
/** With microseconds, which order journals; a `Date` would lose them. */
const recordedAt = `to_char(j.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const maxKnownIds = 10_000;

/** Reads one book's journals a page at a time, so that memory does not grow with the book. */
export class JournalReader {
  readonly #sql: Sql;
  readonly #book: BookId;
  /** Ids of accounts, each built once. */
  readonly #accountIds = new Map<string, LedgerAccountId>();

  constructor(sql: Sql, book: BookId) {
    this.#sql = sql;
    this.#book = book;
  }

  /**
   * The journals after `sequence`, at most `count`, in order. Headers are read separately, because a join would repeat
   * them per line.
   */
  async page(sequence: number, count: number): Promise<StoredJournal[]> {
    const range = [uuidOf(this.#book), sequence, sequence + count];
    const [headers, rows] = await Promise.all([
      this.#sql<HeaderRow>(
        `select j.seq, j.kind, j.transaction_id, j.order_id, j.command_id, j.resolves_seq, j.reverses_seq,
           j.effective_at, encode(j.digest, 'hex') as digest, j.digest_version,
           ${recordedAt} as recorded_at, j.line_count, s.first_seq, encode(s.head_hash, 'hex') as checkpoint_head,
           s.posted_debit, s.posted_credit, s.pending_debit, s.pending_credit, (
             select jsonb_agg(jsonb_build_array(k.class, k.normal_balance, k.currency, k.held_debit::text,
               k.held_credit::text, k.released_debit::text, k.released_credit::text, k.posted_debit::text,
               k.posted_credit::text))
             from unnest(s.class_totals) k
           ) as checkpoint_classes
         from journal j
         left join lateral (
           select * from checkpoint x where x.book_id = $1 and x.last_seq = j.seq offset 0
         ) s on true
         where j.book_id = $1
           and j.seq > $2
           and j.seq <= $3
         order by j.seq`,
        range,
      ),
      this.#sql<LineRow>(
        `select ${lineColumns}
         from entry e
         where e.book_id = $1
           and e.seq > $2
           and e.seq <= $3
         order by e.seq, e.line`,
        range,
      ),
    ]);
    const lines = this.#bySequence(rows);
    const details = await digestsOfDetails(this.#sql, this.#book, headers);
    return headers.map((row) => ({
      journal: this.#journalOf(row, details.get(Number(row.seq)) ?? null, lines.get(Number(row.seq)) ?? []),
      digest: row.digest,
      digestVersion: row.digest_version,
      recordedAt: row.recorded_at,
      lineCount: row.line_count,
      checkpoint: checkpointOf(row),
    }));
  }

  /** The journals that a page resolves or reverses, by sequence. Most are on the page itself. */
  async originsOf(page: readonly StoredJournal[]): Promise<ReadonlyMap<number, Origin>> {
    const own = new Map(
      page.map(({ journal }) => [journal.sequence, { ...journal, lines: journal.entries }]),
    );
    const elsewhere = page.flatMap(({ journal }) => {
      const origin = originOf(journal);
      return origin === null || own.has(origin) ? [] : [origin];
    });
    return new Map<number, Origin>([...own, ...(await this.origins(elsewhere))]);
  }

  /** These journals, as origins. One that does not exist is left out. */
  async origins(sequences: readonly number[]): Promise<Map<number, Origin>> {
    if (sequences.length === 0) return new Map();
    const named = [uuidOf(this.#book), arrayLiteral(sequences)];
    const [headers, rows] = await Promise.all([
      this.#sql<Pick<HeaderRow, "seq" | "kind" | "transaction_id" | "order_id">>(
        `select j.seq, j.kind, j.transaction_id, j.order_id
         from unnest($2::bigint[]) as u (seq)
         cross join lateral (select * from journal x where x.book_id = $1 and x.seq = u.seq offset 0) j`,
        named,
      ),
      this.#sql<LineRow>(
        `select ${lineColumns}
         from unnest($2::bigint[]) as u (seq)
         cross join lateral (select * from entry x where x.book_id = $1 and x.seq = u.seq offset 0) e
         order by e.seq, e.line`,
        named,
      ),
    ]);
    const lines = this.#bySequence(rows);
    return new Map(
      headers.map((row) => [
        Number(row.seq),
        {
          kind: row.kind,
          transactionId: idOf("lt", row.transaction_id),
          orderId: row.order_id === null ? null : idOf("po", row.order_id),
          lines: lines.get(Number(row.seq)) ?? [],
        },
      ]),
    );
  }

  #bySequence(rows: readonly LineRow[]): Map<number, Entry[]> {
    const found = new Map<number, Entry[]>();
    for (const row of rows) {
      const sequence = Number(row.seq);
      const lines = found.get(sequence);
      if (lines === undefined) found.set(sequence, [this.#lineOf(row)]);
      else lines.push(this.#lineOf(row));
    }
    return found;
  }

  #journalOf(row: HeaderRow, detailsDigest: string | null, entries: readonly Entry[]): Journal {
    return {
      book: this.#book,
      sequence: Number(row.seq),
      kind: row.kind,
      transactionId: idOf("lt", row.transaction_id),
      orderId: row.order_id === null ? null : idOf("po", row.order_id),
      commandId: row.command_id,
      resolves: row.resolves_seq === null ? null : Number(row.resolves_seq),
      reverses: row.reverses_seq === null ? null : Number(row.reverses_seq),
      effectiveAt: row.effective_at.toISOString(),
      detailsDigest,
      entries,
    };
  }

  #lineOf(row: LineRow): Entry {
    return {
      line: row.line,
      accountId: this.#accountIdOf(row.account_id),
      currency: row.currency,
      layer: row.layer,
      role: row.role,
      direction: row.direction,
      amountCents: row.amount_cents,
      version: Number(row.account_version),
      totals: countersOf(row),
    };
  }

  #accountIdOf(uuid: string): LedgerAccountId {
    const known = this.#accountIds.get(uuid);
    if (known !== undefined) return known;
    if (this.#accountIds.size >= maxKnownIds) this.#accountIds.clear();
    const id = idOf("la", uuid);
    this.#accountIds.set(uuid, id);
    return id;
  }
}

function checkpointOf(row: HeaderRow): Checkpoint | null {
  if (row.checkpoint_head === null) return null;
  const totals = {
    postedDebit: BigInt(row.posted_debit),
    postedCredit: BigInt(row.posted_credit),
    pendingDebit: BigInt(row.pending_debit),
    pendingCredit: BigInt(row.pending_credit),
  };
  const classes = (row.checkpoint_classes ?? []).map(
    ([accountClass, normalBalance, currency, ...counters]): ClassTotal => ({
      class: accountClass,
      normalBalance,
      currency,
      counters: countersIn(counters),
    }),
  );
  return { firstSequence: Number(row.first_seq), head: row.checkpoint_head, totals, classes };
}
