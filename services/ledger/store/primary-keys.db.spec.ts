import { expect, it } from "vitest";
import { sqlOn, openLedgerOfFile } from "../../../test/ledger/world.ts";

// Books share nothing: every key starts with the book, so no row can refer to another book, and a book can be moved as
// a whole.
const world = await openLedgerOfFile();

const read = <R extends object>(text: string) => sqlOn(world.superuser)<R>(text);
/** The platform's tables of each service, which belong to no single book, and the list of migrations. */
const notOurs = `('outbox', 'inbox', 'failed_message', 'set_aside_book', 'set_aside_message', 'set_aside_event',
  'idempotency', 'migration')`;
const ownTables = `select c.oid, c.relname as name from pg_class c
  where c.relnamespace = 'ledger'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname not in ${notOurs}`;

it("every table has a primary key, and it begins with the book", async () => {
  const wrong = await read(
    `select t.name, pg_get_constraintdef(k.oid) as key
     from (${ownTables}) t
     left join pg_constraint k on k.conrelid = t.oid and k.contype = 'p'
     left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.conkey[1]
     where a.attname is distinct from 'book_id' or not a.attnotnull`,
  );
  expect(wrong).toEqual([]);
  expect((await read(ownTables)).length).toBeGreaterThanOrEqual(20);
});

it("every foreign key begins with the book on both its sides", async () => {
  const keys = await read<{ name: string; own: string; other: string }>(
    `select k.conname as name, a.attname as own, b.attname as other
     from pg_constraint k
     join pg_class c on c.oid = k.conrelid and c.relnamespace = 'ledger'::regnamespace
     join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
     join pg_attribute b on b.attrelid = k.confrelid and b.attnum = k.confkey[1]
     where k.contype = 'f' and k.conparentid = 0`,
  );
  expect(keys.filter(({ own, other }) => own !== "book_id" || other !== "book_id")).toEqual([]);
  expect(keys.length).toBeGreaterThanOrEqual(12);
});

// Tenant and mode identify the book. An order and a virtual account's number are unique across all books.
it("every other unique index contains the book, except these", async () => {
  const without = await read<{ name: string }>(
    `select i.relname as name
     from (${ownTables}) t
     join pg_index x on x.indrelid = t.oid and x.indisunique and not x.indisprimary
     join pg_class i on i.oid = x.indexrelid
     where pg_get_indexdef(x.indexrelid) !~ '\\(.*book_id.*\\)'
     order by 1`,
  );
  expect(without.map(({ name }) => name)).toEqual([
    "book_tenant_mode_unique",
    "inbound_payment_by_assignment",
    "obligation_one_order",
    "virtual_account_number_unique",
  ]);
});

// A plan cached while the table was empty could choose such an index, and read the whole book for each row (0001).
it("no full secondary index starts with the book", async () => {
  const matched = await read<{ name: string }>(
    `select i.relname as name
     from (${ownTables}) t
     join pg_index x on x.indrelid = t.oid and not x.indisprimary
     join pg_class i on i.oid = x.indexrelid
     join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0] and a.attname = 'book_id'
     where x.indpred is null`,
  );
  expect(matched).toEqual([]);
});
