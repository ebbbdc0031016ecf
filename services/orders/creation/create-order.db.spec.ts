import pg from "pg";
import { describe, expect, it } from "vitest";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { CreateOrder, SubmitOrder } from "../../../contracts/messages/orders.ts";
import { PlaceHold } from "../../../contracts/messages/ledger.ts";
import { accounts, OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { answerUnderKey, expectRefusal, refused } from "../../../test/stack/refusals.ts";
import { until } from "../../../test/stack/until.ts";

// Two instances, as in production.
const orders = new OrdersOnTest(2);

const countOf = async (externalId: string) =>
  (await orders.sql("select 1 from payment_order where external_id = $1", [externalId])).length;
const keyKept = async (key: string) =>
  (await orders.sql("select 1 from idempotency where key = $1", [key])).length === 1;

describe("a created order", () => {
  it("is submitted at once, with its history from Draft on and its figures as they were sent", async () => {
    const order = await orders.create({
      externalId: "inv-1",
      metadata: { cost: "fuel" },
      description: "July",
    });
    expect(order).toMatchObject({
      status: "Submitted",
      mode: "Test",
      direction: "Credit",
      rail: "Ach",
      amountCents: 1_250,
      currency: "USD",
      ledgerAccountId: accounts.Operating,
      ledgerAccountName: "Operating",
      counterpartyName: "Blue Freight",
      counterpartyAccountNumber: "****4444",
      externalId: "inv-1",
      metadata: { cost: "fuel" },
      approval: { required: 0, received: 0, orderHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      cancellable: true,
      strayMovements: [],
      createdBy: "maker",
    });
    expect(order.statusHistory.map(({ from, to, actor }) => [from, to, actor])).toEqual([
      [null, "Draft", "maker"],
      ["Draft", "Submitted", "maker"],
    ]);
    expect(await orders.read(order.id)).toEqual(order);
  });

  it("has no unexpected movements in an answer that was stored before they were always listed", async () => {
    const { strayMovements: _none, ...stored } = await orders.create();
    expect(CreateOrder.reply.parse(stored)).toMatchObject({ strayMovements: [] });
  });

  it("requests its hold and publishes its status in the same commit", async () => {
    const order = await orders.create();
    expect(await orders.published(order.id)).toMatchObject([
      {
        type: "ledger.place-hold.v1",
        data: {
          orderId: order.id,
          direction: "Credit",
          amountCents: 1_250,
          ledgerAccountId: accounts.Operating,
          contra: { kind: "SettlementCash" },
        },
      },
      {
        type: "orders.order-status-changed.v1",
        sequence: 1,
        data: { status: "Submitted", previousStatus: "Draft", sequence: 1 },
      },
    ]);
  });

  it("shows its counterparty's account number nowhere: in no row, no message and no stored answer", async () => {
    await orders.create({ externalId: "secret" }, { key: "secret" });
    const tables = ["payment_order", "status_change", "outbox", "idempotency"];
    for (const table of tables) {
      expect([
        table,
        await orders.sql(`select 1 from ${table} t where t::text like '%4111222233334444%'`),
      ]).toEqual([table, []]);
    }
  });

  it("stays a Draft, with provisional amounts too, until it is submitted", async () => {
    const draft = await orders.create({ submit: false, basis: "Demo" });
    expect(draft).toMatchObject({ status: "Draft", approval: { orderHash: null } });
    expect(await orders.published(draft.id)).toEqual([]);
    await expectRefusal(orders.request(SubmitOrder, { id: draft.id }), "basis_is_demo_data");
    expect((await orders.read(draft.id)).status).toBe("Draft");
    const sound = await orders.create({ submit: false });
    const { value } = await orders.request(
      SubmitOrder,
      { id: sound.id },
      { caller: orders.caller("submitter") },
    );
    expect(value.statusHistory.at(-1)).toMatchObject({ from: "Draft", to: "Submitted", actor: "submitter" });
    await expectRefusal(orders.request(SubmitOrder, { id: sound.id }), "invalid_state_transition", {
      context: { currentStatus: "Submitted", allowedStatuses: ["Draft"] },
    });
  });

  it("names the other account of a book transfer by name or id", async () => {
    const to = (nameOrId: string) =>
      ({ rail: "Book", counterpartyAccountNumber: orders.encrypt(nameOrId) }) as const;
    const named = { counterpartyAccountNumber: accounts.Reserve };
    expect(await orders.create(to("Reserve"))).toMatchObject({ ...named, counterpartyName: "Blue Freight" });
    const byId = await orders.create({ ...to(accounts.Reserve), counterpartyName: undefined });
    expect(byId).toMatchObject({ ...named, counterpartyName: "Reserve" });
  });

  it("asks the ledger no more for an account that it has cached", async () => {
    await orders.create();
    await orders.create();
    const before = orders.ledger.accountLookups;
    await Promise.all(Array.from({ length: 20 }, () => orders.create()));
    expect(orders.ledger.accountLookups).toBeLessThanOrEqual(before + 20);
    const settled = orders.ledger.accountLookups;
    await Promise.all(Array.from({ length: 20 }, () => orders.create()));
    expect(orders.ledger.accountLookups).toBe(settled);
  });
});

describe("a refused order", () => {
  const noAccount = { counterpartyAccountNumber: undefined };
  it.each<[string, Parameters<OrdersOnTest["create"]>[0]]>([
    ["ledger_account_not_found /ledgerAccountName", { ledgerAccountName: "Nowhere" }],
    [
      "ledger_account_not_found /ledgerAccountId",
      { ledgerAccountName: undefined, ledgerAccountId: newId("la") },
    ],
    ["system_account_not_postable /ledgerAccountName", { ledgerAccountName: "SettlementCash" }],
    ["invalid_field /ledgerAccountName", { ledgerAccountName: "Expenses" }],
    ["missing_field /ledgerAccountName", { ledgerAccountName: undefined }],
    ["counterparty_account_missing /counterpartyAccountNumber", noAccount],
    ["counterparty_account_missing /counterpartyAccountNumber", { rail: "Book", ...noAccount }],
    ["invalid_routing_number /counterpartyRoutingNumber", { counterpartyRoutingNumber: "021000020" }],
    ["direction_not_supported /direction", { rail: "Rtp", direction: "Debit" }],
  ])("is %s: nothing is written, and its key is free", async (refusal, change) => {
    const externalId = `refused ${refusal}`;
    expect(await refused(orders.create({ ...change, externalId }, { key: externalId }))).toBe(refusal);
    expect([await countOf(externalId), await keyKept(externalId)]).toEqual([0, false]);
  });

  it("gets same_account if it pays an account from itself", async () => {
    const toItself = { rail: "Book", counterpartyAccountNumber: orders.encrypt("Operating") } as const;
    await expectRefusal(orders.create(toItself), "same_account");
  });
});

describe("an Idempotency-Key", () => {
  it("used 50 times at once, on two instances, makes one order", async () => {
    const request = () => orders.request(CreateOrder, orders.body({ externalId: "fifty" }), { key: "fifty" });
    const requested = Array.from({ length: 50 }, () => answerUnderKey(request));
    const answers = await Promise.all(requested);
    expect(new Set(answers.map(({ value }) => value.id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await countOf("fifty")).toBe(1);
    expect(await orders.published(answers[0]!.value.id, PlaceHold)).toHaveLength(1);
  });

  it.each([0, 2])(
    "that another transaction takes first gets that one's answer, and %d orders beside it are created",
    async (others) => {
      const winner = await orders.create();
      const lost = `lost beside ${String(others)}`;
      const winning = new pg.Client(orders.database.adminUrl);
      await winning.connect();
      await winning.query("begin");
      await winning.query(
        `insert into orders.idempotency (book_id, key, fingerprint, operation, resource_id, response)
       values ($1, $2, 'the same body', 'create-order', $3, $4)`,
        [uuidOf(orders.caller().book), lost, winner.id, winner],
      );
      const keys = [lost, ...Array.from({ length: others }, (_, index) => `beside ${String(index)}`)];
      const requested = keys.map((key) =>
        orders.request(CreateOrder, orders.body({ externalId: key }), { key }),
      );
      await until("a create that waits for the key", async () => {
        const { rowCount } = await winning.query(
          "select from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'",
        );
        return rowCount;
      });
      await winning.query("commit");
      await winning.end();
      const [answer, ...created] = await Promise.all(requested);
      expect(answer).toEqual({ value: winner, replayed: true });
      expect(created.map(({ replayed }) => replayed)).toEqual(created.map(() => false));
      expect(await Promise.all(keys.map(countOf))).toEqual([0, ...created.map(() => 1)]);
      expect(await orders.published(winner.id, PlaceHold)).toHaveLength(1);
    },
  );

  it("replays the first answer, whatever the order has become", async () => {
    const first = await orders.create({}, { key: "replayed" });
    await orders.cancel(first.id);
    const again = await orders.request(CreateOrder, orders.body(), { key: "replayed" });
    expect(again).toEqual({ value: first, replayed: true });
  });

  it("is refused for another body, and names the order that it created", async () => {
    const first = await orders.create({}, { key: "reused", body: "one" });
    const other = orders.create({ amountCents: 1 }, { key: "reused", body: "other" });
    await expectRefusal(other, "idempotency_key_reused", { context: { resourceId: first.id } });
  });

  it("is looked up before every control: a replay succeeds even if the order would be refused now", async () => {
    const key = "first looked up";
    const first = await orders.create({}, { key });
    const again = await orders.request(CreateOrder, orders.body({ basis: "Demo" }), { key });
    expect(again).toEqual({ value: first, replayed: true });
  });

  it("can be used by a valid body when an invalid one came at the same time", async () => {
    const together = Array.from({ length: 20 }, (_, i) => {
      const by = { key: `both ${String(i)}` };
      return Promise.allSettled([
        orders.create({ basis: "Demo" }, { ...by, body: "bad" }),
        orders.create({}, { ...by, body: "good" }),
      ]);
    });
    const outcomes = (await Promise.all(together)).map(([bad, good]) => [bad.status, good.status]);
    expect(outcomes.filter(([, good]) => good !== "fulfilled")).toEqual([]);
    expect(outcomes.filter(([bad]) => bad !== "rejected")).toEqual([]);
  });

  it("is a different key in another book", async () => {
    const ours = await orders.create({}, { key: "two books" });
    const stranger = { ...orders.caller(), book: orders.caller("x", "ten_01kg000000e008000000000009").book };
    const theirs = await orders.create({}, { key: "two books", caller: stranger });
    expect(theirs.id).not.toBe(ours.id);
  });
});

describe("creations that share a commit", () => {
  it("fail alone: one that can't be stored does not fail the others", async () => {
    // A NUL, which Postgres can't store. The gateway refuses it, so it can only come from a bug.
    const bad = orders.create({ externalId: "batch", metadata: { note: "\0" } });
    const good = Array.from({ length: 30 }, (_, i) =>
      orders.create({ externalId: "batch", amountCents: i + 1 }),
    );
    const outcomes = await Promise.allSettled([bad, ...good]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      "rejected",
      ...Array<string>(30).fill("fulfilled"),
    ]);
    await expectRefusal(bad, "internal_error");
    expect(await countOf("batch")).toBe(30);
  });
});

describe("the database", () => {
  it.each([
    ["amount_cents", "999"],
    ["ledger_account_id", "gen_random_uuid()"],
    ["counterparty_account", `'{}'::jsonb`],
    ["rail", "'Wire'"],
    ["direction", "'Debit'"],
    ["metadata", `'{}'::jsonb`],
    ["created_by", "'somebody'"],
    ["basis", "'Demo'"],
  ])("refuses to change %s of a submitted order, by name", async (column, value) => {
    const { id } = await orders.create();
    const changed = orders.sql(`update payment_order set ${column} = ${value} where id = $1`, [uuidOf(id)]);
    await expect(changed).rejects.toMatchObject({
      code: "OR001",
      message: expect.stringMatching(/its terms can.t change/),
    });
  });

  it("lets a Draft's fields be changed", async () => {
    const { id } = await orders.create({ submit: false });
    await orders.sql("update payment_order set amount_cents = 999 where id = $1", [uuidOf(id)]);
    expect((await orders.read(id)).amountCents).toBe(999);
  });

  it.each([
    "delete from payment_order",
    "truncate payment_order",
    "update status_change set actor = 'nobody'",
    "delete from status_change",
    "update parked_event set reason = ''",
    "insert into parked_event_decision (message_id, actor, reason) values (uuidv7(), 'orders', 'x')",
    "alter table payment_order disable trigger all",
  ])("gives the service itself no right to: %s", async (statement) => {
    await expect(orders.sql(statement)).rejects.toMatchObject({ code: "42501" });
  });
});
