import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  ledgerAccountCreate,
  type LedgerAccount,
  ledgerEntryQuery,
} from "../../contracts/http/ledger-accounts.ts";
import {
  bookIdOf,
  type LedgerAccountId,
  newId,
  newUuid,
  type TenantId,
  uuidOf,
} from "../../contracts/ids.ts";
import { GetBalances, ListLedgerAccounts, ListLedgerEntries } from "../../contracts/messages/ledger.ts";
import { createDatabase, type TestDatabase } from "../../test/stack/database.ts";
import { openUnits, type TestUnits } from "../../test/stack/units.ts";
import { type Ask, Replayed } from "../platform/messaging/decorators.ts";
import { CreateAccount } from "./create-account.ts";
import type { LedgerCommand } from "./domain/command.ts";
import { ReadAccounts } from "./read-accounts.ts";
import { holdOf, lateReturnOf, postingOf, releaseOf, reversalOf, settlementOf } from "./sample-commands.ts";
import { writeJournals } from "./write-journals.ts";

let database: TestDatabase;
let units: TestUnits;
let creating: CreateAccount;
let reading: ReadAccounts;
let tenantId: TenantId;

beforeAll(async () => {
  database = await createDatabase("ledger");
  units = await openUnits(database.urlOf("ledger"));
  creating = new CreateAccount(units.units);
  reading = new ReadAccounts(units.database);
});
afterAll(async () => {
  await units.close();
  await database.drop();
});
beforeEach(() => {
  tenantId = newId("ten");
});

function asked(by: TenantId = tenantId, key?: string, fingerprint = "same"): Ask {
  const caller = {
    book: bookIdOf(by, "Test"),
    tenant: by,
    mode: "Test" as const,
    principal: "maker",
    requestId: newId("req"),
  };
  return {
    caller,
    correlationid: caller.requestId,
    idempotency: key === undefined ? undefined : { key, fingerprint },
  };
}

async function created(name: string, more: object = {}, ask: Ask = asked()): Promise<LedgerAccount> {
  const answer = await creating.create(ledgerAccountCreate.parse({ name, ...more }), ask);
  return answer instanceof Replayed ? answer.value : answer;
}

const write = (...commands: LedgerCommand[]) =>
  units.units.run(({ sql }) =>
    writeJournals(
      sql,
      commands.map((command) => ({
        book: bookIdOf(tenantId, "Test"),
        command: "tenantId" in command ? { ...command, tenantId } : command,
      })),
    ),
  );
const list = (query: object = {}, ask = asked()) => reading.list(ListLedgerAccounts.data.parse(query), ask);
const entriesOf = (ledgerAccountId: string, query: object = {}, ask = asked()) =>
  reading.entries(
    ListLedgerEntries.data.parse({ ledgerAccountId, query: ledgerEntryQuery.parse(query) }),
    ask,
  );
const balances = (query: object = {}, ask = asked()) => reading.balances(GetBalances.data.parse(query), ask);
const refused = (code: string) => ({ name: "Refusal", code });

describe("creating an account", () => {
  it("opens it at zero, with what was said and the defaults", async () => {
    const account = await created("Payroll", { externalId: "ext-1", metadata: { team: "hr" } });
    expect(account).toEqual({
      id: expect.stringMatching(/^la_/),
      name: "Payroll",
      currency: "USD",
      normalBalance: "Credit",
      overdraft: "Allowed",
      externalId: "ext-1",
      description: null,
      metadata: { team: "hr" },
      pendingBalanceCents: 0,
      pendingInboundCents: 0,
      postedBalanceCents: 0,
      availableBalanceCents: 0,
      lastSequence: 0,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(await reading.get({ id: account.id }, asked())).toEqual(account);
  });

  it("refuses a name that is taken, the chart's names too, and an externalId in use", async () => {
    await created("Payroll", { externalId: "ext-1" });
    await expect(created("Payroll")).rejects.toMatchObject(refused("name_taken"));
    await expect(created("Settlement cash")).rejects.toMatchObject(refused("name_taken"));
    await expect(created("Other", { externalId: "ext-1" })).rejects.toMatchObject(
      refused("external_id_in_use"),
    );
    expect((await list()).data.map(({ name }) => name)).toEqual(["Payroll"]);
  });

  it("lets two tenants use one name", async () => {
    await created("Payroll", { externalId: "ext-1" });
    const other = newId("ten");
    expect(await created("Payroll", { externalId: "ext-1" }, asked(other))).toMatchObject({
      name: "Payroll",
    });
  });

  it("happens once per Idempotency-Key, also when 20 come at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => created("Payroll", {}, asked(tenantId, "k1"))),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    await expect(created("Savings", {}, asked(tenantId, "k1", "other"))).rejects.toMatchObject({
      ...refused("idempotency_key_reused"),
      context: { resourceId: answers[0]!.id },
    });
  });

  it("frees the key when it is refused", async () => {
    await created("Payroll");
    await expect(created("Payroll", {}, asked(tenantId, "k2"))).rejects.toMatchObject(refused("name_taken"));
    expect(await created("Savings", {}, asked(tenantId, "k2"))).toMatchObject({ name: "Savings" });
  });
});

describe("finding accounts", () => {
  it("pages through the tenant's own, newest first", async () => {
    for (const name of ["One", "Two", "Three"]) await created(name);
    const first = await list({ limit: 2 });
    expect(first.data.map(({ name }) => name)).toEqual(["Three", "Two"]);
    expect(first.hasMore).toBe(true);
    const second = await list({ limit: 2, cursor: first.nextCursor });
    expect(second).toMatchObject({ data: [{ name: "One" }], hasMore: false, nextCursor: null });
    expect((await list({ name: "Two" })).data).toHaveLength(1);
  });

  it("refuses cursors of others, or with other filters", async () => {
    for (const name of ["One", "Two"]) await created(name);
    const { nextCursor } = await list({ limit: 1 });
    await expect(list({ cursor: nextCursor, name: "One" })).rejects.toMatchObject(
      refused("cursor_filter_mismatch"),
    );
    await expect(list({ cursor: "nonsense" })).rejects.toMatchObject(refused("invalid_cursor"));
  });

  it("does not find another book's, another resource's, or nothing's", async () => {
    const account = await created("Payroll");
    for (const [id, ask] of [
      [account.id, asked(newId("ten"))],
      [`po_${account.id.slice(3)}`, asked()],
      [newId("la"), asked()],
      ["nonsense", asked()],
    ] as const) {
      await expect(reading.get({ id }, ask)).rejects.toMatchObject(refused("not_found"));
      await expect(entriesOf(id, {}, ask)).rejects.toMatchObject(refused("not_found"));
    }
  });

  it("resolves names and ids, and says which are the service's own", async () => {
    const { id } = await created("Payroll");
    const payroll = {
      ledgerAccountId: id,
      name: "Payroll",
      currency: "USD",
      normalBalance: "Credit",
      system: false,
    };
    expect(await reading.resolve({ nameOrId: "Payroll" }, asked())).toEqual(payroll);
    expect(await reading.resolve({ nameOrId: id }, asked())).toEqual(payroll);
    expect(await reading.resolve({ nameOrId: "Settlement cash" }, asked())).toMatchObject({
      system: true,
      normalBalance: "Debit",
    });
    for (const nameOrId of ["payroll", newId("la"), newUuid()]) {
      await expect(reading.resolve({ nameOrId }, asked())).rejects.toMatchObject(
        refused("ledger_account_not_found"),
      );
    }
    await expect(reading.resolve({ nameOrId: id }, asked(newId("ten")))).rejects.toMatchObject(
      refused("ledger_account_not_found"),
    );
  });
});

describe("an account's entries", () => {
  let payroll: LedgerAccountId;
  beforeEach(async () => {
    payroll = (await created("Payroll")).id;
  });

  it("tell an order's life, newest first, each naming what it offsets", async () => {
    const order = newId("po");
    await write(holdOf(order, payroll, 4_000));
    await write(settlementOf(order), lateReturnOf(order));
    const { data } = await entriesOf(payroll);
    expect(data.map((e) => [e.sequence, e.kind, e.status, e.direction, e.amountCents])).toEqual([
      [3, "LateReturn", "Posted", "Credit", 4_000],
      [2, "Settle", "Posted", "Debit", 4_000],
      [2, "Discharge", "Pending", "Credit", 4_000],
      [1, "Hold", "Pending", "Debit", 4_000],
    ]);
    const [returned, settled, discharged, held] = data;
    expect(returned!.reversesEntryId).toBe(settled!.id);
    expect(discharged!.reversesEntryId).toBe(held!.id);
    expect([settled!.reversesEntryId, held!.reversesEntryId]).toEqual([null, null]);
    expect(new Set(data.map(({ id }) => id)).size).toBe(4);
    for (const entry of data) {
      expect(entry).toMatchObject({ transactionId: `lt_${order.slice(3)}`, paymentOrderId: order });
      expect(entry.effectiveAt).toBe("2026-03-02T15:00:00.000Z");
    }
    expect(await reading.get({ id: payroll }, asked())).toMatchObject({
      lastSequence: 3,
      postedBalanceCents: 0,
    });
  });

  it("of a manual posting and its reversal name no order", async () => {
    const savings = (await created("Savings")).id;
    const posting = postingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    await write(posting, reversalOf(posting));
    const { data } = await entriesOf(savings);
    expect(data).toMatchObject([
      { kind: "Reverse", direction: "Debit", paymentOrderId: null, transactionId: posting.transactionId },
      { kind: "Post", direction: "Credit", reversesEntryId: null },
    ]);
    expect(data[0]!.reversesEntryId).toBe(data[1]!.id);
  });

  it("can be asked for by status, and page by page", async () => {
    const [one, two] = [newId("po"), newId("po")];
    await write(holdOf(one, payroll, 1), holdOf(two, payroll, 2), settlementOf(one), releaseOf(two));
    expect((await entriesOf(payroll, { status: "Posted" })).data.map((e) => e.amountCents)).toEqual([1]);
    const first = await entriesOf(payroll, { limit: 2 });
    expect(first.data.map((e) => [e.kind, e.amountCents])).toEqual([
      ["Discharge", 2],
      ["Settle", 1],
    ]);
    const second = await entriesOf(payroll, { limit: 5, cursor: first.nextCursor });
    expect(second.data.map((e) => [e.kind, e.amountCents])).toEqual([
      ["Discharge", 1],
      ["Hold", 2],
      ["Hold", 1],
    ]);
    expect(second.hasMore).toBe(false);
    const savings = (await created("Savings")).id;
    await expect(entriesOf(savings, { cursor: first.nextCursor })).rejects.toMatchObject(
      refused("cursor_filter_mismatch"),
    );
  });
});

describe("balances", () => {
  it("of a book that nobody has used are nothing", async () => {
    expect(await balances()).toMatchObject({
      data: [],
      totals: [],
      reconciliation: {
        settlementCashCents: 0,
        subLedgerCents: 0,
        differenceCents: 0,
        status: "NotReconciled",
      },
    });
  });

  it("come from one snapshot, with totals over all pages and the money held for others", async () => {
    const payroll = (await created("Payroll")).id;
    const savings = (await created("Savings")).id;
    const [collected, paid] = [newId("po"), newId("po")];
    await write(holdOf(collected, payroll, 10_000, { direction: "Debit" }), settlementOf(collected));
    await write(postingOf([payroll, "Debit", 3_000], [savings, "Credit", 3_000]), holdOf(paid, savings, 500));
    const page = await balances({ limit: 1 });
    expect(page.data).toEqual([
      {
        ledgerAccountId: savings,
        name: "Savings",
        currency: "USD",
        pendingBalanceCents: 500,
        postedBalanceCents: 3_000,
        availableBalanceCents: 2_500,
      },
    ]);
    expect(page.totals).toEqual([
      { currency: "USD", pendingBalanceCents: 500, postedBalanceCents: 10_000, availableBalanceCents: 9_500 },
    ]);
    expect(page.reconciliation).toMatchObject({
      settlementCashCents: 10_000,
      subLedgerCents: 10_000,
      differenceCents: 0,
      status: "NotReconciled",
    });
    const rest = await balances({ limit: 5, cursor: page.nextCursor });
    expect(rest.data).toMatchObject([{ ledgerAccountId: payroll, availableBalanceCents: 7_000 }]);
    expect(rest.hasMore).toBe(false);
  });

  it("keep to their own book", async () => {
    await created("Payroll");
    expect((await balances({}, asked(newId("ten")))).data).toEqual([]);
    const rows = await units.database.sql("select 1 from book where book_id = $1", [
      uuidOf(bookIdOf(tenantId, "Test")),
    ]);
    expect(rows).toHaveLength(1);
  });
});
