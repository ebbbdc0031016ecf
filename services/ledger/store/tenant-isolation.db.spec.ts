import { describe, expect, it } from "vitest";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { Tenant } from "../../../test/ledger/requests.ts";
import { refusalOf, sqlOn, openLedgerOfFile } from "../../../test/ledger/world.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { holdOf, postingOf } from "../../../test/ledger/commands.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";

// Tenants' requests are read as `ledger_reader`: Postgres shows it the rows of one book, even in a statement that names
// no book.
const world = await openLedgerOfFile();
const [own, other] = [new Tenant(world.units), new Tenant(world.units)];
for (const tenant of [own, other]) {
  const [payroll, savings] = [await tenant.creates("Payroll"), await tenant.creates("Savings")];
  await tenant.writes(postingOf([payroll.id, "Debit", 5], [savings.id, "Credit", 5]));
  await tenant.writes(holdOf(newId("po"), payroll.id, 7));
}

const reads = <T>(read: (sql: Sql) => Promise<T>) => readTenantSnapshot(world.units.database, own.book, read);
const errorOf = (statement: string) =>
  reads((sql) => sql(statement)).then(
    () => "nobody refused it",
    (error: unknown) => (error as { code: string }).code,
  );

/** The ledger's own tables: neither the platform's nor partitions, which are granted to nobody. */
const ownTables = `select c.relname as name, c.relrowsecurity as bound,
    (select jsonb_agg(jsonb_build_array(p.polname, p.polcmd, p.polpermissive, p.polroles::regrole[]::text,
       pg_get_expr(p.polqual, p.polrelid))) from pg_policy p where p.polrelid = c.oid) as policies
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'book_id' and not a.attisdropped
  where c.relnamespace = 'ledger'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by 1`;
const keptFromTenants = [
  "command_decision",
  "command_retry",
  "deferred_command",
  "idempotency",
  "outbox",
  "set_aside_book",
  "set_aside_event",
  "set_aside_message",
  "statement_part",
  "transaction_policy",
];

describe("every table with a book", () => {
  it("shows the tenants' reader only that book, or nothing", async () => {
    const tables = await sqlOn(world.superuser)<{ name: string; bound: boolean; policies: unknown }>(
      ownTables,
    );
    const ownBook = "(book_id = ( SELECT (current_setting('ledger.book'::text))::uuid AS current_setting))";
    const expected = tables.map(({ name }) =>
      keptFromTenants.includes(name)
        ? { name, bound: false, policies: null }
        : { name, bound: true, policies: [["own_book", "r", true, "{ledger_reader}", ownBook]] },
    );
    expect(tables).toEqual(expected);
    expect(tables.length).toBeGreaterThanOrEqual(15);
  });

  it.each([
    "book",
    "book_head",
    "account",
    "account_balance",
    "class_total",
    "journal",
    "entry",
    "command",
    "checkpoint",
  ])("%s: without a `where`, only the own book's rows are returned", async (table) => {
    const books = `select distinct book_id from ${table} order by 1`;
    expect(await reads((sql) => sql(books))).toEqual([{ book_id: uuidOf(own.book) }]);
    const all = (await world.units.database.sql<{ book_id: string }>(books)).map(({ book_id }) => book_id);
    expect(all).toEqual(expect.arrayContaining([uuidOf(own.book), uuidOf(other.book)]));
  });

  it.each([...keptFromTenants, "inbox", "failed_message", "journal_0", "entry_7"])(
    "%s is not for tenants",
    async (table) => {
      expect(await errorOf(`select * from ${table}`)).toBe("42501");
    },
  );
});

describe("the tenants' reader", () => {
  it("finds nothing of another book, with any statement", async () => {
    const theirs = `select * from account where book_id = '${uuidOf(other.book)}'`;
    expect(await reads((sql) => sql(theirs))).toEqual([]);
    const joined = `select o.name from account a join account o on o.name = a.name and o.book_id <> a.book_id`;
    expect(await reads((sql) => sql(joined))).toEqual([]);
  });

  it("reveals nothing to a function that fails on hidden rows", async () => {
    const leak = `select distinct book_id from account
      where 1 / (case book_id when '${uuidOf(other.book)}' then 0 else 1 end) = 1`;
    expect(await reads((sql) => sql(leak))).toEqual([{ book_id: uuidOf(own.book) }]);
  });

  it("writes nothing", async () => {
    for (const statement of [
      "insert into account select * from account",
      "update book_head set last_seq = 0",
      "delete from audit",
      "truncate command",
      "create table mine ()",
      "select lock_books(array[]::uuid[])",
      "select maintain_outbox()",
      "lock table book_head in exclusive mode",
      "select * from book_head for update",
    ]) {
      expect(await errorOf(statement), statement).toMatch(/^(25006|42501)$/);
    }
  });

  it("can't use the owner's rights, nor can the service", async () => {
    const lent = await sqlOn(world.superuser)(
      `select p.oid::regprocedure::text as name, r.rolname as role from pg_proc p
       cross join (values ('ledger_reader', false), ('ledger', true)) r (rolname, is_service)
       where p.pronamespace = 'ledger'::regnamespace and p.prosecdef
         and has_function_privilege(r.rolname, p.oid, 'execute')
         and not (r.is_service and p.prorettype <> 'trigger'::regtype)`,
    );
    expect(lent).toEqual([]);
  });

  it("fails when no book is named", async () => {
    const nameless = world.units.database.read(["set local role ledger_reader"], (sql) =>
      sql("select * from account"),
    );
    // 42704 on a connection that never had a book, 22P02 on one whose book was reset.
    await expect(nameless).rejects.toMatchObject({
      code: expect.stringMatching(/^(42704|22P02)$/) as string,
    });
  });

  it("is reset with its book at the end of each transaction, also of one that fails", async () => {
    // On one connection, whose last book must not be visible to the next transaction.
    const alone = sqlOn(world.service);
    for (const end of ["commit", "rollback"]) {
      await alone("begin read only");
      await alone(`set local role ledger_reader`);
      await alone(`set local ledger.book = '${uuidOf(own.book)}'`);
      await alone(end);
      expect(
        await alone("select current_user::text as role, current_setting('ledger.book', true) as book"),
      ).toEqual([{ role: "ledger", book: "" }]);
      expect(
        await refusalOf(world.service, async (sql) => {
          await sql("set local role ledger_reader");
          await sql("select * from account");
        }),
      ).toBe("22P02");
    }
  });

  it("accepts only a book's id", () => {
    const notABook = `book_${"'; reset role; --"}` as never;
    expect(() => readTenantSnapshot(world.units.database, notABook, () => Promise.resolve())).toThrow();
  });

  it("is used by the service's reads: an account of another book is not found", async () => {
    const { data } = await other.lists();
    await expect(own.entriesOf(data[0]!.id)).rejects.toMatchObject({ name: "Refusal", code: "not_found" });
    expect((await own.lists()).data.map(({ name }) => name)).toEqual(["Savings", "Payroll"]);
  });
});
