import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { newId, type PaymentOrderId, uuidOf } from "../../contracts/ids/ids.ts";
import { readAccountsHead } from "../../services/ledger/audit/store/account-chain.ts";
import { postJournals } from "../../services/ledger/posting/post-journals.ts";
import { insertLedgerCheckpoint } from "../../services/orders/proof/store/ledger-checkpoints.ts";
import type { Sql } from "../../services/platform/persistence/sql.ts";
import { holdOf, releaseOf, sampleBook, sampleTenant, settlementOf } from "../../test/ledger/commands.ts";
import { beginBook, ofBook, openAccount } from "../../test/ledger/rows/written.ts";
import { withGuardsOff } from "../../test/stack/database/guards-off.ts";
import { connectTo, createDatabase } from "../../test/stack/servers/database.ts";
import { openUnits } from "../../test/stack/database/units.ts";
import { runCommandLine } from "./command-line/command-line.ts";
import { proveTool } from "./prove.ts";

// Compares the ledger's books with the orders and checkpoints that orders has, and with a file of earlier heads.
const folder = await mkdtemp(join(tmpdir(), "quittance-prove-"));
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

let admin: Sql;
let ledger: Awaited<ReturnType<typeof openUnits>>;
let file: string;
const book = uuidOf(sampleBook);
let orders: Record<"held" | "settled" | "released", PaymentOrderId>;

beforeEach(async () => {
  const database = await createDatabase(["ledger", "orders"]);
  const client = await connectTo(database.adminUrl);
  admin = async (text, params = []) => (await client.query(text, [...params])).rows as never;
  ledger = await openUnits(database.urlOf("ledger"));
  vi.stubEnv("DATABASE_URL", database.adminUrl);
  file = join(folder, newId("req"));
  orders = { held: newId("po"), settled: newId("po"), released: newId("po") };
  const account = await ledger.units.run(async ({ sql }) => {
    await beginBook(sql, { book: sampleBook, tenantId: sampleTenant });
    return openAccount(sql, sampleBook, {});
  });
  const { held, settled, released } = orders;
  await writes(holdOf(held, account, 5), holdOf(settled, account, 6), holdOf(released, account, 7));
  await writes(settlementOf(settled), releaseOf(released));
  await isIn(held, "InFlight");
  await isIn(settled, "Completed");
  await isIn(released, "Cancelled");
  return async () => {
    await ledger.close();
    await client.end();
    await database.drop();
  };
});

function writes(...commands: Parameters<typeof ofBook>[1]) {
  return ledger.units.run(({ sql }) => postJournals(sql, ofBook(sampleBook, commands)));
}
/** The order as orders has it, in a phase. */
async function isIn(order: PaymentOrderId, phase: string): Promise<void> {
  await admin(
    `insert into orders.payment_order (book_id, id, tenant_id, mode, phase, status, sequence, direction, rail,
       amount_cents, currency, ledger_account_id, ledger_account_name, basis, metadata, progress, created_by, created_at,
       updated_at)
     values ($1, $2, $3, 'Test', $4, 'Pending', 0, 'Credit', 'Ach', 5, 'USD', gen_random_uuid(), 'Payroll', 'Actual', '{}',
       '{}', 'maker', now(), now())
     on conflict (book_id, id) do update set phase = excluded.phase`,
    [book, uuidOf(order), uuidOf(sampleTenant), phase],
  );
}
async function proves(...args: string[]): Promise<{ code: number; checks: string[]; errors: string[] }> {
  const [out, errors]: [string[], string[]] = [[], []];
  const streams = { out: (line: string) => out.push(line), error: (line: string) => errors.push(line) };
  const code = await runCommandLine(proveTool, [...args, "--json"], streams);
  const found = out.map((line) => JSON.parse(line) as { violations: { check: string; detail: string }[] });
  return {
    code,
    checks: found.flatMap(({ violations }) => violations.map(({ check, detail }) => `${check}: ${detail}`)),
    errors,
  };
}
const sound = { code: 0, checks: [] };

/** The ledger publishes its newest checkpoint, and orders stores it. */
async function publishes(): Promise<void> {
  await admin("set search_path = ledger");
  const [head] = await admin<{ journals: string; head: string }>(
    "select last_seq as journals, encode(head_hash, 'hex') as head from book_head where book_id = $1",
    [book],
  );
  const accounts = await readAccountsHead(admin, book);
  await admin("set search_path = orders");
  await insertLedgerCheckpoint(admin, sampleBook, {
    journals: Number(head!.journals),
    head: head!.head,
    ...accounts!,
  });
}
/** Removes the last batch as somebody would who knows the schema: what is left is a sound, shorter book. */
async function removesTail(): Promise<void> {
  const of = `where book_id = '${book}'`;
  await admin("set search_path = ledger");
  await withGuardsOff(admin, "ledger", async () => {
    await admin(`delete from entry ${of} and seq > 3`);
    await admin(`delete from command ${of} and seq > 3`);
    await admin(`delete from checkpoint ${of} and last_seq > 3`);
    await admin(`delete from journal ${of} and seq > 3`);
    await admin(`update book_head h set last_seq = 3, entered_seq = 3, head_hash = c.head_hash, recorded_at = c.recorded_at
    from checkpoint c where c.book_id = h.book_id and c.last_seq = 3 and h.book_id = '${book}'`);
    await admin(`update account_balance b set (version, last_seq, held_debit, held_credit, released_debit, released_credit,
      posted_debit, posted_credit) = (select e.account_version, e.seq, e.held_debit, e.held_credit, e.released_debit,
      e.released_credit, e.posted_debit, e.posted_credit from entry e where e.account_id = b.account_id
      order by e.account_version desc limit 1) ${of} and version > 0`);
    await admin(`update class_total t set held_debit = k.held_debit, held_credit = k.held_credit,
      released_debit = k.released_debit, released_credit = k.released_credit, posted_debit = k.posted_debit,
      posted_credit = k.posted_credit
    from checkpoint c, unnest(c.class_totals) k
    where c.book_id = t.book_id and c.last_seq = 3 and k.class = t.class and t.book_id = '${book}'`);
    await admin(`delete from account_day ${of}`);
    await admin(`delete from class_day ${of}`);
  });
}
const lost = expect.stringMatching(/^no known head is lost: journal 5: .* the book has none$/);

describe("npm run prove", () => {
  it("finds nothing in a sound book that orders knows", async () => {
    await publishes();
    expect(await proves()).toMatchObject(sound);
    expect(await proves(sampleBook)).toMatchObject(sound);
  });

  it("finds a removed tail by the checkpoints that orders stores", async () => {
    await publishes();
    await removesTail();
    expect(await proves(sampleBook)).toMatchObject({ code: 1, checks: expect.arrayContaining([lost]) });
  });

  it("finds a book that was removed whole", async () => {
    await admin("set search_path = orders");
    const heads = { journals: 5, head: "0".repeat(64), accounts: 6, accountsHead: "1".repeat(64) };
    const gone = sampleBook.replace(/.$/, (last) => (last === "0" ? "1" : "0")) as typeof sampleBook;
    await insertLedgerCheckpoint(admin, gone, heads);
    expect(await proves()).toMatchObject({
      code: 1,
      checks: ["no known head is lost: the ledger has no journal of this book"],
    });
  });

  it("finds a hold without an order, and an order without its hold", async () => {
    const { held, settled, released } = orders;
    await admin("delete from orders.payment_order where id = $1", [uuidOf(held)]);
    await isIn(settled, "InFlight");
    await isIn(released, "Completed");
    const unknown = newId("po");
    await isIn(unknown, "AwaitingApproval");
    const { code, checks } = await proves();
    expect(code).toBe(1);
    expect(checks.sort()).toEqual(
      [
        `every hold has its order: journal 1 holds for ${held}`,
        `every order has its hold: ${settled} is InFlight, its hold is Settled`,
        `every order has its hold: ${released} is Completed, its hold is Released`,
        `every order has its hold: ${unknown} is AwaitingApproval, its hold is None`,
      ].sort(),
    );
  });

  it("finds nothing wrong with an order whose hold is under way", async () => {
    const { held, released } = orders;
    await isIn(newId("po"), "ReservingFunds");
    await isIn(newId("po"), "Draft");
    await isIn(held, "ReleasingAsFailed");
    await isIn(released, "ReleasingAsCancelled");
    expect(await proves()).toMatchObject(sound);
  });
});

describe("npm run prove compares the ledger's approval policy with that of orders", () => {
  const put = (version: number, policy: object, age = "2 hours") =>
    admin(
      `insert into orders.approval_policy (book_id, version, policy, put_by, put_at)
       values ($1, $2, $3, 'ada', now() - $4::interval)`,
      [book, version, JSON.stringify(policy), age],
    );
  const copy = (version: number, isRequired: boolean, thresholdCents: number) =>
    admin(
      `insert into ledger.transaction_policy (book_id, version, approval_required, threshold_cents)
       values ($1, $2, $3, $4)
       on conflict (book_id) do update set (version, approval_required, threshold_cents) =
         (excluded.version, excluded.approval_required, excluded.threshold_cents)`,
      [book, version, isRequired, thresholdCents],
    );
  const strict = { requireApprovalForLedgerTransactions: true, approvalThresholdCents: 500 };
  const unlike = (detail: string) => ({
    code: 1,
    checks: [`the ledger has the approval policy of orders: ${detail}`],
  });

  it("and finds nothing if both are the same", async () => {
    await put(1, {});
    expect(await proves()).toMatchObject(sound);
    await put(2, strict);
    await copy(2, true, 500);
    expect(await proves()).toMatchObject(sound);
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ["another threshold", () => copy(1, true, 9_000), "version 1 (an approval above 9000 cents)"],
    ["no requirement", () => copy(1, false, 500), "version 1 (no approval above 500 cents)"],
    ["no copy", () => Promise.resolve(), "none"],
  ])("and finds %s", async (_what, tamper, found) => {
    await put(1, strict);
    await tamper();
    const known = "version 1 (an approval above 500 cents)";
    expect(await proves()).toMatchObject(unlike(`orders has ${known}, the ledger ${found}`));
  });

  it("and finds a version that orders never had, and one that it replaced an hour ago", async () => {
    await put(1, {});
    await copy(7, false, 1_000_000);
    expect(await proves()).toMatchObject(
      unlike("orders has none, the ledger version 7 (no approval above 1000000 cents)"),
    );
    await copy(1, false, 1_000_000);
    await put(2, strict, "59 minutes");
    expect(await proves()).toMatchObject(sound);
    await put(3, strict, "61 minutes");
    expect(await proves()).toMatchObject(
      unlike(
        "orders has version 3 (an approval above 500 cents), the ledger version 1 (no approval above 1000000 cents)",
      ),
    );
  });
});

it("what npm run prove writes can only be read by its owner", async () => {
  await writeFile(`${file}.unfinished`, "", { mode: 0o644 });
  expect((await proves("--heads", file)).code).toBe(0);
  const exported = `${file}.ndjson.gz`;
  await writeFile(`${exported}.unfinished`, "", { mode: 0o644 });
  expect(await runCommandLine(proveTool, ["--export", exported, "--book", sampleBook])).toBe(0);
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
  expect([await modeOf(file), await modeOf(exported)]).toEqual([0o600, 0o600]);
});

describe("npm run prove -- --heads", () => {
  it("writes the heads of all books, and finds nothing while they only grow", async () => {
    expect(await proves("--heads", file)).toMatchObject(sound);
    const written = await readFile(file, "utf8");
    expect(JSON.parse(written)).toMatchObject({ book: sampleBook, journals: 5 });
    await writes(releaseOf(orders.held));
    await isIn(orders.held, "Cancelled");
    expect(await proves("--heads", file)).toMatchObject(sound);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ journals: 6 });
  });

  it.each([
    ["is empty", () => "", "is empty: restore it"],
    ["names a book twice", (text: string) => text.repeat(2), "names a book twice: restore it"],
  ])("compares nothing with a file that %s", async (_what, spoil, message) => {
    await proves("--heads", file);
    const spoilt = spoil(await readFile(file, "utf8"));
    await writeFile(file, spoilt);
    const { code, errors } = await proves("--heads", file);
    expect([code, errors.join()]).toEqual([1, expect.stringContaining(message)]);
    expect(await readFile(file, "utf8")).toBe(spoilt);
  });

  it("finds a removed tail, names book and journal, and leaves the file as it was", async () => {
    await proves("--heads", file);
    const before = await readFile(file, "utf8");
    await removesTail();
    const { code, checks } = await proves("--heads", file);
    expect(code).toBe(1);
    expect(checks).toContainEqual(lost);
    expect(await readFile(file, "utf8")).toBe(before);
  });

  it("finds a book that was rewritten from some journal on", async () => {
    await proves("--heads", file);
    await withGuardsOff(admin, "ledger", async () => {
      await admin("update ledger.checkpoint set head_hash = sha256(head_hash) where last_seq = 5");
      await admin("update ledger.book_head set head_hash = sha256(head_hash)");
    });
    const { checks } = await proves("--heads", file);
    expect(checks).toContainEqual(expect.stringMatching(/^no known head is lost: journal 5: the file has/));
  });
});
