import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Refusal } from "../../../contracts/errors.ts";
import {
  type LedgerTransaction,
  ledgerTransactionBody,
} from "../../../contracts/http/ledger/ledger-transactions.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { asked, paid, refused, Tenant } from "../../../test/ledger/requests.ts";
import { openFreshUnits, type TestUnits } from "../../../test/stack/units.ts";
import { until } from "../../../test/stack/until.ts";
import { IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { CreateTransaction } from "./create-transaction.handler.ts";
import { lockBooks } from "../posting/store/lock-books.ts";
import { closePeriod } from "../posting/store/accounting-periods.ts";

// As a service gets them: all through one controller, which makes those of a book together.
let units: TestUnits;
let creating: CreateTransaction;
let tenant: Tenant;
let savings: string;

beforeAll(async () => {
  units = await openFreshUnits("ledger");
  creating = new CreateTransaction(units.units);
});
afterAll(() => units.close());
beforeEach(async () => {
  tenant = new Tenant(units);
  await tenant.creates("Payroll");
  savings = (await tenant.creates("Savings")).id;
});

/** Five cents from Payroll to Savings. */
async function creates(
  by: Tenant,
  more: object = {},
  key?: string,
  fingerprint?: string,
): Promise<LedgerTransaction> {
  const entries = paid("Payroll", "Savings", 5).map(([ledgerAccountName, direction, amountCents]) => ({
    ledgerAccountName,
    direction,
    amountCents,
  }));
  const body = ledgerTransactionBody.parse({ description: "By hand", entries, ...more });
  const answer = await creating.create(body, asked(by.id, key, fingerprint));
  return answer instanceof IdempotentReplay ? answer.value : answer;
}

const codeOf = (told: PromiseSettledResult<LedgerTransaction>) =>
  told.status === "fulfilled" ? "done" : (told.reason as Refusal).code;

describe("transactions that are asked for at once", () => {
  it("are all done but those that are refused, which are told why", async () => {
    const asks = [
      ...Array.from({ length: 20 }, (_, place) => ({ externalId: `batch-${String(place)}` })),
      { externalId: "batch-7" },
      { currency: "EUR" },
      { basis: "Demo" },
      { effectiveAt: "2020-01-02T00:00:00Z" },
      { effectiveAt: new Date().toISOString() },
    ];
    const told = await Promise.allSettled(
      asks.map((more, place) => creates(tenant, more, `key-${String(place)}`)),
    );
    expect(told.map(codeOf)).toEqual([
      ...Array.from({ length: 20 }, () => "done"),
      "external_id_in_use",
      "currency_mismatch",
      "basis_is_demo_data",
      "effective_date_invalid",
      "done",
    ]);
    expect(await tenant.balanceOf(savings)).toEqual([105, 0, 0, 105]);
    expect((await tenant.transactions({ limit: 100 })).data).toHaveLength(21);
    // Each key has its own answer: asked again, all that was done is told again, and what was refused may be mended.
    const again = await Promise.all(
      asks.slice(0, 20).map((more, place) => creates(tenant, more, `key-${String(place)}`)),
    );
    expect(again).toEqual(told.slice(0, 20).map((each) => (each.status === "fulfilled" ? each.value : each)));
    expect(await creates(tenant, {}, "key-21")).toMatchObject({ status: "Posted" });
  });

  it("under one Idempotency-Key are one, and another request under it is refused", async () => {
    const again = [1, 2, 3].map(() => creates(tenant, {}, "key-0"));
    const other = creates(tenant, {}, "key-0", "other").catch((error: unknown) => error);
    expect(new Set((await Promise.all(again)).map(({ id }) => id)).size).toBe(1);
    expect(await other).toMatchObject(refused("idempotency_key_reused"));
    expect(await tenant.balanceOf(savings)).toEqual([5, 0, 0, 5]);
  });

  it("are written by one transaction, in the order that they came in", async () => {
    const made = await Promise.all([1, 2, 3].map(() => creates(tenant)));
    const { data } = await tenant.transactions({ limit: 100 });
    expect(data.map(({ id }) => id)).toEqual(made.map(({ id }) => id).reverse());
    const seals = await units.database.sql<{ first_seq: bigint; last_seq: bigint }>(
      "select first_seq, last_seq from checkpoint where book_id = $1",
      [uuidOf(tenant.book)],
    );
    expect(seals).toEqual([{ first_seq: 1n, last_seq: 3n }]);
  });
});

describe("while another holds a book's head", () => {
  const isWaiting = async () => {
    const rows = await units.database.sql(
      `select from pg_stat_activity
       where wait_event_type = 'Lock' and query like '%lock_books%' and datname = current_database()`,
    );
    return rows.length > 0 ? true : undefined;
  };

  it("a transaction without a date waits, and takes effect behind the period that closes meanwhile", async () => {
    let created: Promise<LedgerTransaction> | undefined;
    const end = await units.database.transaction(async ({ sql }) => {
      await lockBooks(sql, [tenant.book]);
      created = creates(tenant);
      await until("it waits for the head", isWaiting);
      const now = new Date();
      await closePeriod(sql, tenant.book, now, "reconciled");
      return now;
    });
    const effectiveAt = new Date((await created)?.effectiveAt ?? 0);
    expect(effectiveAt.getTime()).toBeGreaterThanOrEqual(end.getTime());
  });

  it("another book's transactions go on", async () => {
    const other = new Tenant(units);
    await other.creates("Payroll");
    await other.creates("Savings");
    let waiting: Promise<LedgerTransaction> | undefined;
    await units.database.transaction(async ({ sql }) => {
      await lockBooks(sql, [tenant.book]);
      waiting = creates(tenant);
      await until("it waits for the head", isWaiting);
      expect(await creates(other)).toMatchObject({ status: "Posted" });
    });
    expect(await waiting).toMatchObject({ status: "Posted" });
  });
});
