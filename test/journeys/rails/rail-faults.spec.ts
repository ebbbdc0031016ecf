/** Each fault of a rail in a Manual book: what becomes of the order and of its money. */
import { describe, expect, it } from "vitest";
import type {
  InboundPayment,
  InboundPaymentPage,
  PaymentOrder,
} from "../../../clients/typescript/types.gen.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import { uuidOf, type BookId } from "../../../contracts/ids/ids.ts";
import { proveBooks } from "../../faults/evidence/prove.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { approve } from "../../world/actions.ts";
import { advanceClock } from "../../world/patience/advances.ts";
import { setClock } from "../../world/patience/set-clock.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());
const book = world.tenant.tenant.testBook as BookId;

/** What the bank has of the book's money on its settlement account, and what the ledger says that it has. */
async function cash(): Promise<{ atTheBank: number; inTheLedger: number }> {
  const [row] = await world.rows<{ bank: string; ledger: string }>(
    `select
       (select coalesce(sum(case side when 'In' then amount_cents else -amount_cents end), 0)
        from rails.bank_movement where book_id = $1) as bank,
       (select posted_debit - posted_credit
        from ledger.account_balance b
        join ledger.account a using (book_id, account_id)
        where book_id = $1 and a.name = 'Settlement cash') as ledger`,
    [uuidOf(book)],
  );
  return { atTheBank: Number(row?.bank), inTheLedger: Number(row?.ledger) };
}

interface Case {
  readonly fault: Readonly<Record<string, unknown>>;
  readonly rail: Rail;
  readonly collects?: true;
  readonly ends: Partial<PaymentOrder>;
}

const completed = { status: "Completed", return: null } as const;
const returnedWith = (code: string, late: boolean) =>
  expect.objectContaining({ code, late }) as PaymentOrder["return"];
const cases: Readonly<Record<string, Case>> = {
  "a return before the settlement": {
    fault: { fault: "Return", code: "R02" },
    rail: "Ach",
    ends: { status: "Returned", return: returnedWith("R02", false) },
  },
  "a return two banking days after the settlement": {
    fault: { fault: "LateReturn", code: "R03" },
    rail: "Ach",
    ends: { status: "Returned", return: returnedWith("R03", false) },
  },
  "an unauthorized debit, 60 days after it": {
    fault: { fault: "LateReturn", code: "R10" },
    rail: "SameDayAch",
    collects: true,
    ends: { status: "Completed", return: returnedWith("R10", true) },
  },
  "a reject": { fault: { fault: "Reject", code: "AC04" }, rail: "Rtp", ends: { status: "Failed" } },
  "a time-out of a payment that has settled": {
    fault: { fault: "Timeout", then: "Settle" },
    rail: "Ach",
    ends: completed,
  },
  "a time-out of a payment that was refused": {
    fault: { fault: "Timeout", then: "Fail" },
    rail: "Rtp",
    ends: { status: "Failed" },
  },
  "a payment that never arrived": {
    fault: { fault: "Timeout", then: "NeverArrived" },
    rail: "SameDayAch",
    ends: completed,
  },
  "a lost acknowledgement": { fault: { fault: "LostAcknowledgement" }, rail: "Rtp", ends: completed },
  "everything twice": { fault: { fault: "DuplicateFacts" }, rail: "Ach", ends: completed },
  "the return before its settlement": {
    fault: { fault: "OutOfOrder", code: "R02" },
    rail: "Ach",
    ends: { status: "Returned", return: returnedWith("R02", false) },
  },
  "everything an hour late": {
    fault: { fault: "Delay", delaySeconds: 3_600 },
    rail: "SameDayAch",
    ends: completed,
  },
  "a return that comes again": {
    fault: { fault: "DuplicateReturn", code: "R03" },
    rail: "Ach",
    ends: { status: "Returned", return: returnedWith("R03", false) },
  },
  "an unmatched return": {
    fault: { fault: "UnmatchedReturn", code: "R03" },
    rail: "Ach",
    ends: completed,
  },
  "an unmatched return of a collection": {
    fault: { fault: "UnmatchedReturn", code: "R01" },
    rail: "SameDayAch",
    collects: true,
    ends: completed,
  },
  "a wire that its receiver sends back": { fault: { fault: "SentBack" }, rail: "Wire", ends: completed },
  "a notice of change": {
    fault: { fault: "NoticeOfChange", code: "C04", correctedData: { name: "Ada B. Example" } },
    rail: "Ach",
    ends: completed,
  },
};

describe("each fault of a rail", () => {
  const orders = new Map<string, string>();
  const idOf = (title: string) => orders.get(title) ?? "";
  /** What came in otherwise than as a return of an order, newest first. */
  const inbound = async () => (await world.get<InboundPaymentPage>("/v1/inbound-payments")).body.data;

  it("ends its order, and the bank and the ledger agree about the money", async () => {
    const set = await setClock(world, world.tenant.keys.maker, {
      mode: "Manual",
      startAt: "2038-02-08T15:00:00.000Z",
    });
    expect(set.status).toBe(200);
    const payer = await world.payerNamed("Faults");
    for (const [title, { fault, rail, collects }] of Object.entries(cases)) {
      const externalId = title.replaceAll(" ", "-");
      const rule = await world.post("/v1/simulations/injections", { match: { externalId }, ...fault });
      expect(rule).toMatchObject({ status: 201 });
      const sends =
        collects === true
          ? payer.collects(usd("40.00"), { rail, externalId })
          : payer.pays(usd("30.00"), { rail, externalId });
      const { id } = await sends;
      orders.set(title, id);
      // A wire needs two approvals.
      if (rail === "Wire") for (const by of ["approver1", "approver2"] as const) await approve(world, id, by);
    }
    const done = await advanceClock(world, { to: "2038-04-20T15:00:00.000Z" });
    expect(done.steps).toBeLessThan(200);
    for (const [title, { ends }] of Object.entries(cases)) {
      expect(await world.order(idOf(title)), title).toMatchObject(ends);
    }
    // Six payments of $30.00 went out, and one came back once more than it had gone out. What belongs to no order has
    // come and gone once more: a payment, a collection and a wire.
    expect(await cash()).toEqual({ atTheBank: -usd("150.00"), inTheLedger: -usd("150.00") });
    await proveBooks(world);
  });

  it("shows what the bank sent once more", async () => {
    const again = await world.order(idOf("a return that comes again"));
    expect(again.strayMovements).toMatchObject([{ movement: "Return", returnCode: "R03" }]);
  });

  it("shows the wire's money as a new payment on the account that had paid", async () => {
    const order = await world.order(idOf("a wire that its receiver sends back"));
    const [payment] = (await inbound()).filter(({ returnsPaymentOrderId: id }) => id !== null);
    expect(payment).toMatchObject({
      id: order.sentBackBy,
      status: "Attributed",
      rail: "Wire",
      direction: "Credit",
      amountCents: usd("30.00"),
      ledgerAccountId: order.ledgerAccountId,
      returnsPaymentOrderId: order.id,
    });
  });

  it("keeps unmatched returns in Suspense, until somebody assigns them", async () => {
    const returns = (await inbound()).filter(({ unmatchedReturn }) => unmatchedReturn !== null);
    expect(returns).toHaveLength(2);
    for (const [direction, code] of [
      ["Credit", "R03"],
      ["Debit", "R01"],
    ] as const) {
      const one = returns.find((each) => each.direction === direction);
      expect(one).toMatchObject({
        status: "Suspended",
        reason: "UnmatchedReturn",
        unmatchedReturn: { code, originalTraceNumber: expect.stringMatching(/^7910/) },
      });
      const path = `/v1/inbound-payments/${one?.id ?? ""}/assign`;
      const assigned = await world.post<InboundPayment>(path, { ledgerAccountName: "Faults" });
      expect(assigned).toMatchObject({ status: 200, body: { status: "Assigned" } });
    }
    await proveBooks(world);
  });

  it("has no difference between the bank's statements and the ledger at the end", async () => {
    const runs = "/v1/reconciliations?limit=100";
    const { body } = await world.get<{ data: object[] }>(runs);
    expect(body.data[0]).toMatchObject({
      status: "Reconciled",
      differenceCents: 0,
      unmatchedBankLineCount: 0,
    });
  });
});

describe("an outage", () => {
  it("keeps payments from their rail, and hands them on when it ends", async () => {
    const rules = "/v1/simulations/injections";
    const { body: rule } = await world.post<{ id: string }>(rules, {
      match: { rail: "Rtp" },
      fault: "Outage",
    });
    const payer = await world.payerNamed("Outage");
    const { id } = await payer.pays(usd("10.00"), { rail: "Rtp" });
    await advanceClock(world, { to: "2038-04-20T15:30:00.000Z" });
    expect(await world.order(id)).toMatchObject({ status: "Processing" });
    const ended = await world.send(world.tenant.keys.maker, "DELETE", `${rules}/${rule.id}`);
    expect(ended.status).toBe(204);
    await advanceClock(world, { to: "2038-04-20T15:31:00.000Z" });
    expect(await world.order(id)).toMatchObject({
      status: "Completed",
      completedAt: "2038-04-20T15:30:03.000Z",
    });
    expect(await cash()).toEqual({ atTheBank: -usd("160.00"), inTheLedger: -usd("160.00") });
  });
});
