import { describe, expect, it } from "vitest";
import { bookIdOf, type LedgerAccountId, newId, type TenantId, uuidOf } from "../../../contracts/ids/ids.ts";
import { sqlOn, openLedgerOfFile } from "../../../test/ledger/world.ts";
import { until } from "../../../test/stack/until.ts";
import { holdOf, postingOf, releaseOf, settlementOf } from "../../../test/ledger/commands.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { LedgerCommand } from "../book/commands.ts";
import { createBooks, lockBooks, type LockBooks, lockOrCreateBooks } from "./store/lock-books.ts";
import { postJournals } from "./post-journals.ts";

const world = await openLedgerOfFile();

describe("several writers at once (two instances of the service)", () => {
  it("wait for one another's heads: no gap, no deadlock, nothing spent twice", async () => {
    const strict = await world.opens({ overdraft: "Refused" });
    const payroll = await world.opens();
    await world.writes(postingOf([payroll, "Debit", 100], [strict, "Credit", 100]));
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, () =>
        world.writes(...Array.from({ length: 5 }, () => holdOf(newId("po"), strict, 10))),
      ),
    );
    const placed = outcomes.flat().filter(({ result }) => result === "Appended");
    expect(placed).toHaveLength(10);
    expect(await world.faults()).toEqual([]);
  });

  it("give one command one outcome, however many receive it", async () => {
    const payroll = await world.opens();
    const hold = holdOf(newId("po"), payroll, 10);
    const tries = await Promise.all(Array.from({ length: 10 }, () => world.writes(hold)));
    expect(new Set(tries.flat().map((outcome) => JSON.stringify(outcome))).size).toBe(1);
  });

  it("lock books in one order, and make new ones once", async () => {
    const tenants = Array.from({ length: 6 }, () => newId("ten"));
    const hold = (tenantId: TenantId) => ({
      book: bookIdOf(tenantId, "Test"),
      command: holdOf(newId("po"), newId("la"), 1, { tenantId }),
    });
    // Every writer takes the six books in another order, over and over.
    await Promise.all(
      tenants.map(async (_tenant, first) => {
        const inTurn = [...tenants.slice(first), ...tenants.slice(0, first)];
        for (let round = 0; round < 5; round += 1) {
          await world.units.units.run(({ sql }) => postJournals(sql, inTurn.map(hold)));
        }
      }),
    );
    const [books] = await world.units.database.sql<{ count: bigint }>(
      "select count(*) from book where tenant_id = any ($1::uuid[])",
      [tenants.map(uuidOf)],
    );
    expect(books).toEqual({ count: 6n });
  });

  it("never deadlock when a book is created while one of them has locked another's head", async () => {
    const owners = Array.from({ length: 2 }, () => newId("ten")).map((tenantId) => ({
      book: bookIdOf(tenantId, "Test"),
      tenantId,
      mode: "Test" as const,
    }));
    const [created, existing] = owners.toSorted((a, b) => (uuidOf(a.book) < uuidOf(b.book) ? -1 : 1));
    const { units } = world.units;
    await units.run(({ sql }) => createBooks(sql, [existing!]));
    let other: Promise<unknown> | undefined;
    const lockWhileOtherCreates: LockBooks = async (sql, books) => {
      const heads = await lockBooks(sql, books);
      other ??= units
        .run(({ sql: others }) => createBooks(others, [created!]))
        .then(() => units.run(({ sql: others }) => lockBooks(others, [created!.book, existing!.book])));
      await until("the other transaction waits", async () => {
        const waiting = await world.units.database.sql(
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        );
        return waiting.length > 0;
      });
      return heads;
    };
    await units.run(({ sql }) => lockOrCreateBooks(sql, owners, lockWhileOtherCreates));
    expect(await other).toHaveProperty("size", 2);
  });
});

describe("the work of a batch", () => {
  // Bad plans read the book, not the batch: 100 times dearer, and only once statistics are fresh. Rows read are
  // counted, not time, so the machine's load does not matter; on one connection, because it keeps its plans.
  const sql: Sql = (text, params) => sqlOn(world.service)(text, params);
  const counted = `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
    from pg_stat_xact_user_tables where schemaname = 'ledger'`;
  async function rowsReadPerCommand(commands: Parameters<typeof postJournals>[1]): Promise<number> {
    await sql("begin");
    const [before] = await sql<{ rows: number }>(counted);
    await postJournals(sql, commands);
    const [after] = await sql<{ rows: number }>(counted);
    await sql("commit");
    return (after!.rows - before!.rows) / commands.length;
  }

  async function opensMany(tenantId: TenantId, count: number): Promise<LedgerAccountId[]> {
    const ids = Array.from({ length: count }, () => newId("la"));
    const book = bookIdOf(tenantId, "Test");
    await world.units.units.run(async ({ sql }) => {
      await createBooks(sql, [{ book, tenantId, mode: "Test" }]);
      await sql(
        `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
         select $1, id, id::text, 'USD', 'Credit', 'Tenant', 'Allowed'
         from unnest($2::uuid[]) as u (id)`,
        [uuidOf(book), ids.map(uuidOf)],
      );
    });
    return ids;
  }

  const postings = (tenantId: TenantId, accounts: readonly LedgerAccountId[], count: number) =>
    Array.from({ length: count }, (_, index) => ({
      book: bookIdOf(tenantId, "Test"),
      command: postingOf(
        [accounts[index % accounts.length]!, "Debit", 1],
        [accounts[(index * 7 + 1) % accounts.length]!, "Credit", 1],
      ),
    }));

  // Some forty rows per command are the batch's own, plus a few old row versions that are still in their pages.
  const most = 100;

  it("is that of its commands, in a book with history or a new one, before and after statistics", async () => {
    const [old, fresh] = [newId("ten"), newId("ten")];
    const accounts = await opensMany(old, 1_500);
    expect(await rowsReadPerCommand(postings(old, accounts, 500))).toBeLessThan(most);
    for (let batch = 0; batch < 4; batch += 1) await rowsReadPerCommand(postings(old, accounts, 500));
    await world.superuser.query("analyze");
    expect(await rowsReadPerCommand(postings(old, accounts, 500))).toBeLessThan(most);
    expect(await rowsReadPerCommand(postings(old, accounts, 10))).toBeLessThan(most);
    // The statistics do not know this book, and its partition was empty when the plans were made.
    const others = await opensMany(fresh, 1_000);
    expect(await rowsReadPerCommand(postings(fresh, others, 500))).toBeLessThan(most);
    expect(await rowsReadPerCommand(postings(fresh, others.slice(0, 2), 500))).toBeLessThan(most);
  });

  it("is that of its orders, for settlements and releases too, in every partition", async () => {
    for (let book = 0; book < 16; book += 1) {
      const tenantId = newId("ten");
      const [payroll] = await opensMany(tenantId, 1);
      const orders = Array.from({ length: 100 }, () => newId("po"));
      const own = (command: LedgerCommand) => ({ book: bookIdOf(tenantId, "Test"), command });
      const holds = orders.map((order) => own({ ...holdOf(order, payroll!, 1), tenantId }));
      const steps = orders.map((order, index) =>
        own(index % 2 === 0 ? settlementOf(order) : releaseOf(order)),
      );
      expect(await rowsReadPerCommand(holds)).toBeLessThan(most);
      expect(await rowsReadPerCommand(steps)).toBeLessThan(most);
      expect(await world.faults(bookIdOf(tenantId, "Test"))).toEqual([]);
    }
  });
});
