import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { Filer, type FundedFiler } from "../../../test/ledger/obligations.ts";
import { lateReturned, settled } from "../../../test/ledger/order-commands.ts";
import { verifyAccounts, verifyObligations } from "../audit/store/page-checks.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import { type FreshUnits, openFreshUnits } from "../../../test/stack/database/units.ts";
import { withGuardsOff } from "../../../test/stack/database/guards-off.ts";

// Postgres refuses these changes of an obligation by name, and the proof finds those that are made with the guards off.
let units: FreshUnits;
let admin: pg.Client;
let filer: FundedFiler;
let key: string;

beforeAll(async () => {
  units = await openFreshUnits("ledger");
  admin = new pg.Client(units.adminUrl);
  await admin.connect();
  await admin.query("set search_path = ledger");
});
afterAll(async () => {
  await admin.end();
  await units.close();
});
beforeEach(async () => {
  filer = await Filer.funded(units);
  const { id } = await filer.fixed();
  key = `book_id = '${uuidOf(filer.book)}' and obligation_id = '${uuidOf(id)}'`;
});

const as = (who: "service" | "superuser") => (statement: string) =>
  who === "superuser" ? admin.query(statement) : units.database.sql(statement);
/** The constraint, or the missing right, that refused it. */
async function refusedBy(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.then(
    () => new Error("it was done"),
    (thrown: unknown) => thrown,
  );
  const { constraint, code, message } = error as { constraint?: string; code?: string; message: string };
  return constraint ?? (code === "42501" ? "no right" : message);
}

describe("an obligation's row", () => {
  it.each([
    ["relieved while something is outstanding", "status = 'Relieved'", "obligation_agrees_with_liability"],
    ["smaller than what is outstanding", "fixed_cents = 1", "obligation_agrees_with_liability"],
    ["fixed at more than was accrued", "fixed_cents = 12501", "obligation_fixed_as_accrued"],
    ["open again", "status = 'Open', fixed_cents = 0, event_count = 0", "obligation_identity"],
    ["renamed after it is booked", "reference = 'IFTA 2026-Q2'", "obligation_identity"],
    ["with fewer events", "event_count = 0", "obligation_identity"],
    ["remitting without an order", "status = 'Remitting'", "obligation_remitting_has_one_order"],
    [
      "paid by an order while it is payable",
      `payment_order_id = '${crypto.randomUUID()}'`,
      "obligation_payable_has_no_order",
    ],
    ["of an unknown status", "status = 'Forgiven'", "obligation_status_known"],
  ])("is never %s", async (_what, change, guard) => {
    for (const who of ["service", "superuser"] as const)
      expect(await refusedBy(as(who)(`update obligation set ${change} where ${key}`))).toBe(guard);
  });

  it.each([
    "book_id = gen_random_uuid()",
    "obligation_id = gen_random_uuid()",
    "type = 'Other'",
    "created_by = 'somebody'",
    "created_at = now()",
  ])("keeps its identity: never %s", async (change) => {
    const statement = `update obligation set ${change} where ${key}`;
    expect(await refusedBy(as("service")(statement))).toBe("no right");
    expect(await refusedBy(as("superuser")(statement))).toMatch(
      /^obligation_(identity|event_of_obligation)$/,
    );
  });

  it("is never inserted as paid without an accrual", async () => {
    for (const who of ["service", "superuser"] as const) {
      const id = crypto.randomUUID();
      await as(who)(
        `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
         values ('${uuidOf(filer.book)}', '${id}', '${id}', 'USD', 'Credit', 'ObligationLiability', 'Allowed')`,
      );
      const made = `insert into obligation (book_id, obligation_id, type, status, reference, lines, fixed_cents, event_count,
          created_by, created_at, updated_at)
        select book_id, '${id}', type, 'Relieved', reference, lines, 5, 0, created_by, created_at, updated_at
        from obligation where ${key}`;
      expect(await refusedBy(as(who)(made))).toBe("obligation_fixed_as_accrued");
    }
  });

  it("is never deleted", async () => {
    expect(await refusedBy(as("service")(`delete from obligation where ${key}`))).toBe("no right");
    expect(await refusedBy(as("superuser")(`delete from obligation where ${key}`))).toBe("append_only");
    expect(await refusedBy(as("superuser")("truncate obligation cascade"))).toBe("append_only");
  });

  it("shares its order with no other obligation", async () => {
    const orderId = uuidOf(newId("po"));
    const remitting = `status = 'Remitting', payment_order_id = '${orderId}', remittance_cents = 12500,
      remittance_rail = 'Ach', funding_account_id = '${crypto.randomUUID()}'`;
    await as("superuser")(`update obligation set ${remitting} where ${key}`);
    const { id } = await filer.fixed();
    const other = `update obligation set ${remitting} where obligation_id = '${uuidOf(id)}'`;
    expect(await refusedBy(as("superuser")(other))).toBe("obligation_one_order");
  });
});

describe("an obligation's history", () => {
  it("can be appended to, but changed by nobody", async () => {
    for (const statement of [
      `update obligation_event set amount_cents = 1 where ${key}`,
      `delete from obligation_event where ${key}`,
    ]) {
      expect(await refusedBy(as("service")(statement))).toBe("no right");
      expect(await refusedBy(as("superuser")(statement))).toBe("append_only");
    }
    expect(await refusedBy(as("superuser")("truncate obligation_event"))).toBe("append_only");
  });

  it("has one event at a position", async () => {
    const again = `insert into obligation_event select * from obligation_event where ${key}`;
    expect(await refusedBy(as("service")(again))).toBe("obligation_event_pk");
  });
});

describe("with the guards off", () => {
  it.each([
    [
      "a status",
      "update obligation set status = 'Relieved'",
      "an obligation is what its journals made of it",
    ],
    [
      "a sum",
      "update obligation set fixed_cents = fixed_cents + 1",
      "an obligation is what its journals made of it",
    ],
    ["a type", "update obligation set type = 'Other'", "what obligations owe is what their expenses hold"],
    ["a lost event", "delete from obligation_event", "an obligation has all its events"],
    [
      "another journal's number",
      "update obligation_event set seq = 1",
      "an obligation is what its journals made of it",
    ],
  ])("the proof finds %s", async (_what, damage, check) => {
    await damages(`${damage} where ${key}`);
    expect(await filer.faults()).toContainEqual({ check, detail: expect.any(String) });
  });

  it("the auditor finds it only on the page of its obligation", async () => {
    for (let more = 0; more < 4; more += 1) await filer.fixed();
    await damages(`update obligation set status = 'Relieved' where ${key}`);
    const pages: number[] = [];
    for (let after: string | null = belowAllUuids; after !== null; ) {
      const page = await verifyObligations(units.database.sql, filer.book, after, 2);
      pages.push(page.violations.length);
      after = page.next;
    }
    // Ids rise with time, so the first obligation is on the first page.
    expect(pages).toEqual([1, 0, 0]);
  });
});

const agreed = "an obligation's event is what its journal booked";
const lines = "an obligation's lines are those of its last accrual";
const named = "an obligation names the order that pays it";
const another = "gen_random_uuid()";

describe("with the guards off, of a paid obligation", () => {
  it.each([
    ["lines of another sum", "obligation", "lines = jsonb_set(lines, '{0,amountCents}', '1')", lines],
    ["lines without a sum", "obligation", `lines = '{}'`, lines],
    ["another line", "obligation", `lines = jsonb_set(lines, '{0,description}', '"Diesel"')`, lines],
    ["another payer", "obligation", `payment_order_id = ${another}`, named],
    ["no payer", "obligation", "payment_order_id = null", named],
    ["another amount of an accrual", "obligation_event", "amount_cents = 1 where kind = 'Fixed'", agreed],
    ["another amount of a hold", "obligation_event", "amount_cents = 1 where kind = 'Held'", agreed],
    ["another amount of a payment", "obligation_event", "amount_cents = 1 where kind = 'Cleared'", agreed],
    ["another order", "obligation_event", `order_id = ${another} where kind = 'Cleared'`, agreed],
    ["another transaction", "obligation_event", `transaction_id = ${another} where kind = 'Fixed'`, agreed],
    ["another kind", "obligation_event", "kind = 'Failed' where kind = 'Cleared'", agreed],
    ["an amendment before it is fixed", "obligation_event", "kind = 'Amended' where kind = 'Fixed'", agreed],
    ["no journal", "obligation_event", "seq = null, transaction_id = null where kind = 'Fixed'", agreed],
    [
      "other lines of an accrual",
      "obligation_event",
      "lines = jsonb_set(lines, '{0,amountCents}', '1') where kind = 'Fixed'",
      agreed,
    ],
  ])("the proof finds %s of a paid obligation", async (_what, table, change, check) => {
    const { id, orderId } = await filer.remitting();
    await filer.receives(settled(orderId));
    expect(await filer.faults()).toEqual([]);
    const [set = "", condition = "true"] = change.split(" where ");
    await damages(`update ${table} set ${set} where obligation_id = '${uuidOf(id)}' and ${condition}`);
    expect((await filer.faults())?.map((fault) => fault.check)).toContain(check);
  });
});

describe("with the guards off, of a remittance", () => {
  it.each([
    ["another amount", "remittance_cents = 1"],
    ["another order", `payment_order_id = ${another}`],
    [
      "no order",
      "status = 'Fixed', payment_order_id = null, remittance_cents = null, remittance_rail = null, funding_account_id = null",
    ],
  ])("the proof finds %s beside a hold", async (_what, set) => {
    const { id } = await filer.remitting();
    expect(await filer.faults()).toEqual([]);
    await damages(`update obligation set ${set} where obligation_id = '${uuidOf(id)}'`);
    expect(await filer.faults()).toEqual([{ check: named, detail: expect.any(String) }]);
  });

  it("the proof finds a payment without its event", async () => {
    const { id, orderId } = await filer.remitting();
    await filer.receives(settled(orderId), lateReturned(orderId));
    const of = `where obligation_id = '${uuidOf(id)}'`;
    await damages(`delete from obligation_event ${of} and kind = 'Returned'`);
    await damages(`update obligation set event_count = event_count - 1 ${of}`);
    expect((await filer.faults())?.map((fault) => fault.check)).toContain("an obligation has all its events");
  });

  it.each([
    ["removed", (of: string) => [`delete from obligation_event ${of}`, `delete from obligation ${of}`]],
    [
      "open again",
      (of: string) => [
        `delete from obligation_event ${of}`,
        `update obligation set status = 'Open', fixed_cents = 0, event_count = 0, payment_order_id = null ${of}`,
      ],
    ],
  ])("the proof and the auditor find a paid obligation that is %s", async (_what, statements) => {
    const { id, orderId } = await filer.remitting();
    await filer.receives(settled(orderId));
    for (const statement of statements(`where obligation_id = '${uuidOf(id)}'`)) await damages(statement);
    const violation = { check: "every liability has its obligation", detail: `account ${uuidOf(id)}` };
    expect(await filer.faults()).toContainEqual(violation);
    const page = await verifyAccounts(units.database.sql, filer.book, belowAllUuids, 100);
    expect(page.violations).toEqual([violation]);
  });
});

async function damages(statement: string): Promise<void> {
  const run = (text: string) => admin.query(text);
  await withGuardsOff(run, "ledger", () => run(statement));
}
