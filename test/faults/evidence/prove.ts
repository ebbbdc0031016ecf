/** Proves the books from their entries alone, by statements that share nothing with the ledger's, and by the ledger. */
import pg from "pg";
import { expect } from "vitest";
import { proveBooks as proveByTheLedger } from "../../../services/ledger/audit/verify-book.ts";
import { setTypeParsers, type Sql } from "../../../services/platform/persistence/sql.ts";
import type { World } from "../../world/world.ts";

const proofs: Readonly<Record<string, string>> = {
  "each journal balances in each layer and currency": `
    select book_id, seq, layer, currency
    from ledger.entry
    group by book_id, seq, layer, currency
    having sum(case direction when 'Debit' then amount_cents else -amount_cents end) <> 0`,
  "journals are numbered without a gap": `
    select book_id, count(*), max(seq)
    from ledger.journal
    group by book_id
    having count(*) <> max(seq) or min(seq) <> 1`,
  "the head is the last journal": `
    select h.book_id, h.last_seq, max(j.seq)
    from ledger.book_head h
    left join ledger.journal j using (book_id)
    group by h.book_id, h.last_seq
    having h.last_seq <> coalesce(max(j.seq), 0)`,
  "no journal lacks an entry": `
    select j.book_id, j.seq
    from ledger.journal j
    left join ledger.entry e using (book_id, seq)
    group by j.book_id, j.seq, j.line_count
    having count(e.line) <> j.line_count`,
  "every balance is the sum of its entries": `
    select b.book_id, b.account_id
    from ledger.account_balance b
    left join lateral (
      select
        count(*) as entries,
        coalesce(sum(amount_cents) filter (where layer = 'Posted' and direction = 'Debit'), 0) as posted_debit,
        coalesce(sum(amount_cents) filter (where layer = 'Posted' and direction = 'Credit'), 0) as posted_credit,
        coalesce(sum(amount_cents) filter (where layer = 'Pending' and direction = 'Debit'), 0) as pending_debit,
        coalesce(sum(amount_cents) filter (where layer = 'Pending' and direction = 'Credit'), 0) as pending_credit
      from ledger.entry e
      where e.book_id = b.book_id and e.account_id = b.account_id
    ) e on true
    where (b.version, b.posted_debit, b.posted_credit) is distinct from (e.entries, e.posted_debit, e.posted_credit)
      or b.held_debit + b.released_credit <> e.pending_debit
      or b.held_credit + b.released_debit <> e.pending_credit`,
  "a hold ends at most once": `
    select book_id, resolves_seq
    from ledger.journal
    where resolves_seq is not null
    group by book_id, resolves_seq
    having count(*) > 1`,
  "a command has one outcome, and a journal one command": `
    select book_id, command_id
    from ledger.journal
    group by book_id, command_id
    having count(*) > 1
    union all
    select c.book_id, c.command_id
    from ledger.command c
    left join ledger.journal j on j.book_id = c.book_id and j.seq = c.seq and j.command_id = c.command_id
    where c.seq is not null and j.seq is null`,
  "checkpoints follow each other and the last has the head's hash": `
    select book_id, first_seq, last_seq
    from (
      select s.*,
        lag(s.last_seq, 1, 0::bigint) over chain as before,
        lead(s.last_seq) over chain as after,
        h.head_hash as hash_now
      from ledger.checkpoint s
      join ledger.book_head h using (book_id)
      window chain as (partition by s.book_id order by s.last_seq)
    ) s
    where first_seq <> before + 1 or (after is null and head_hash <> hash_now)`,
  "cash and wallet equal what is owed to others": `
    select book_id
    from ledger.account_balance b
    join ledger.account a using (book_id, account_id)
    group by book_id
    having sum(posted_debit - posted_credit) <> 0`,
};

/** The violations that the operator's proof finds. */
async function faultsByTheLedger(world: World): Promise<unknown[]> {
  const client = new pg.Client(world.system.adminUrl);
  await client.connect();
  setTypeParsers(client);
  const sql: Sql = async (text, params = []) => (await client.query(text, [...params])).rows as never;
  try {
    await sql("set search_path = ledger");
    await sql("begin");
    return (await proveByTheLedger(sql)).flatMap(({ violations }) => violations);
  } finally {
    await client.end();
  }
}

/** Proves every book with the ledger's own proof, hash chain included, and with the statements above. */
export async function proveBooks(world: World): Promise<void> {
  expect(await faultsByTheLedger(world)).toEqual([]);
  for (const [claim, counterexamples] of Object.entries(proofs)) {
    expect(await world.rows(`${counterexamples} limit 3`), claim).toEqual([]);
  }
}
