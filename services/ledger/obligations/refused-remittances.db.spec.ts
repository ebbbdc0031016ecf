import { beforeEach, describe, expect, it } from "vitest";
import { newId, type ObligationId, uuidOf } from "../../../contracts/ids/ids.ts";
import { Filer, line } from "../../../test/ledger/obligations.ts";
import { lateReturned, settled } from "../../../test/ledger/order-commands.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";
import { poisonBook } from "../../../test/stack/messages/poisoned-book.ts";
import { codeOf } from "../../../test/ledger/requests.ts";

// Payments of obligations that are refused and leave nothing stored, on a real Postgres. The test plays orders.
let filer: Awaited<ReturnType<typeof Filer.funded>>;

const { units, superuser } = await openLedgerOfFile();
beforeEach(async () => {
  filer = await Filer.funded(units);
});

describe("when orders refuses", () => {
  it("nothing is stored: the obligation is payable, and the idempotency key is free", async () => {
    const { id } = await filer.fixed();
    filer.ordersAnswers("counterparty_unverified");
    expect(await codeOf(filer.remits(id, {}, filer.contextOf("k1")))).toBe("counterparty_unverified");
    const back = await filer.reads(id);
    expect(back).toMatchObject({ status: "Fixed", paymentOrderId: null, remittances: [] });
    const answer = await filer.remits(id, { rail: "Wire" }, filer.contextOf("k1", "another body"));
    expect(answer).toMatchObject({ status: "Remitting" });
    expect(answer.paymentOrderId).not.toBe(filer.ordered[0]!.orderId);
  });

  it("a request whose answer is lost is repeated with the same order until the answer is known", async () => {
    const { id } = await filer.fixed();
    filer.ordersAnswers("upstream_timeout");
    expect(await codeOf(filer.remits(id, {}, filer.contextOf("k1")))).toBe("upstream_timeout");
    expect(await filer.reads(id)).toMatchObject({ status: "Remitting" });
    const requests = () => filer.ordered.filter(({ obligationId }) => obligationId === id);
    const soon = Date.now() + 11_000;
    await filer.requests.requestOverdue(new Date());
    expect(requests()).toHaveLength(1);
    await filer.requests.requestOverdue(new Date(soon));
    await filer.requests.requestOverdue(new Date(soon));
    expect(requests()).toHaveLength(2);
    await filer.requests.requestOverdue(new Date(soon + 11_000));
    expect(requests()).toHaveLength(3);
    expect(new Set(requests().map(({ orderId }) => orderId)).size).toBe(1);
    // Once the hold is decided, the request is not repeated.
    await filer.receives(filer.holdOf(requests()[0]!));
    await filer.requests.requestOverdue(new Date(soon + 60_000));
    expect(requests()).toHaveLength(3);
  });

  it("a request of a book whose rows can't be updated stops no other, and is repeated later", async () => {
    const other = await Filer.funded(units);
    const ids = new Map<Filer, string>();
    for (const one of [other, filer]) {
      const { id } = await one.fixed();
      ids.set(one, id);
      one.ordersAnswers("upstream_timeout");
      expect(await codeOf(one.remits(id))).toBe("upstream_timeout");
    }
    const cure = await poisonBook(units.adminUrl, "ledger.obligation", other.book);
    /** How often the orders that `filer` plays received the request of an obligation. */
    const requested = (of: Filer) =>
      filer.ordered.filter(({ obligationId }) => obligationId === ids.get(of)).length;
    const soon = Date.now() + 11_000;
    await filer.requests.requestOverdue(new Date(soon));
    expect([requested(other), requested(filer)]).toEqual([0, 2]);
    await cure();
    await filer.requests.requestOverdue(new Date(soon + 5_000));
    expect([requested(other), requested(filer)]).toEqual([1, 2]);
  });

  it("a caller who sends the same key again gets the new answer of orders", async () => {
    const { id } = await filer.fixed();
    filer.ordersAnswers("upstream_timeout");
    filer.ordersAnswers("velocity_limit_exceeded");
    const remit = () => filer.remits(id, {}, filer.contextOf("k1"));
    expect(await codeOf(remit())).toBe("upstream_timeout");
    expect(await codeOf(remit())).toBe("velocity_limit_exceeded");
    expect(await filer.reads(id)).toMatchObject({ status: "Fixed" });
    const answer = await remit();
    expect(answer).toMatchObject({ status: "Remitting", paymentOrderId: filer.ordered[2]!.orderId });
    expect(await remit()).toEqual(answer);
  });
});

describe("an obligation with a long history", () => {
  /** Payments that the ledger refused, as events alone. */
  const refusedOften = (id: ObligationId, times: number) =>
    superuser.query(
      `insert into obligation_event (book_id, obligation_id, position, kind, order_id, amount_cents, reason, actor, at)
       select $1, $2, 1000 + n, 'Refused', gen_random_uuid(), 12500, 'insufficient_funds', 'ledger', now()
       from generate_series(1, $3) n`,
      [uuidOf(filer.book), uuidOf(id), times],
    );
  const answerBytes = async (id: ObligationId) => Buffer.byteLength(JSON.stringify(await filer.reads(id)));

  it("takes no further payment when its answer would get too long, and can still be read", async () => {
    const { id } = await filer.fixed();
    await refusedOften(id, 3_000);
    await expect(filer.remits(id)).rejects.toMatchObject({
      code: "obligation_not_payable",
      context: { currentStatus: "Fixed" },
    });
    expect(filer.ordered).toEqual([]);
    expect(await filer.reads(id)).toMatchObject({ status: "Fixed", paymentOrderId: null });
    expect(await answerBytes(id)).toBeLessThan(1_048_576);
  });

  it("can be paid although it takes no further amendment", async () => {
    const { id } = await filer.fixed();
    const text = "税".repeat(255);
    const basis = { kind: "Actual", source: text };
    const lines = Array.from({ length: 100 }, () => ({ ...line(text, 125), basis }));
    let code = "";
    for (let tries = 0; code !== "invalid_state_transition" && tries < 9; tries += 1)
      code = await codeOf(filer.amends(id, lines));
    expect(code).toBe("invalid_state_transition");
    expect(await filer.remits(id)).toMatchObject({ status: "Remitting" });
    const order = filer.ordered[0]!;
    await filer.receives(filer.holdOf(order), settled(order.orderId), lateReturned(order.orderId));
    expect(await filer.reads(id)).toMatchObject({ status: "Fixed", outstandingCents: 12_500 });
    expect(await answerBytes(id)).toBeLessThan(1_048_576);
  });
});

describe("a hold that does not fit its obligation", () => {
  it("is refused with its code, and leaves the obligation as it is", async () => {
    const { id, order } = await filer.remitting({ lines: [line("Diesel", 100)] });
    const another = newId("po");
    const wrong = [
      filer.holdOf({ ...order, orderId: another }),
      filer.holdOf(order, { commandId: crypto.randomUUID(), orderId: newId("po"), amountCents: 99 }),
      filer.holdOf({ ...order, orderId: newId("po"), obligationId: newId("ob") }),
    ];
    await filer.receives(...wrong);
    const refusals = (await units.takeMessages()).filter(({ type }) => type === "ledger.hold-refused.v1");
    expect(refusals.map(({ data }) => (data as { code: string }).code)).toEqual([
      "obligation_not_payable",
      "obligation_not_payable",
      "obligation_not_payable",
    ]);
    expect(await filer.reads(id)).toMatchObject({ status: "Remitting", paymentOrderId: order.orderId });
  });

  it.each([
    ["another amount", { amountCents: 12_499 }],
    ["another direction", { direction: "Debit" as const }],
  ])(
    "with %s under the chosen order is refused too, and the obligation is payable again",
    async (_what, change) => {
      const { id } = await filer.fixed();
      await filer.remits(id);
      await filer.receives(filer.holdOf(filer.ordered[0]!, change));
      expect(await filer.reads(id)).toMatchObject({
        status: "Fixed",
        remittances: [{ event: "Refused", reason: "obligation_not_payable" }],
      });
    },
  );

  it("on an account that can't cover it is refused, and the obligation is payable again", async () => {
    const { id } = await filer.fixed({ lines: [line("Diesel", 20_001)] });
    await filer.remits(id);
    await filer.receives(filer.holdOf(filer.ordered[0]!));
    expect(await filer.reads(id)).toMatchObject({
      status: "Fixed",
      outstandingCents: 20_001,
      remittances: [{ event: "Refused", reason: "insufficient_funds" }],
    });
    expect(await filer.remits(id)).toMatchObject({ status: "Remitting" });
    expect(await filer.faults()).toEqual([]);
  });

  it("for another book's obligation finds none", async () => {
    const { order } = await filer.remitting();
    const neighbour = new Filer(units);
    const { id: own } = await neighbour.tenant.creates("Operating");
    await neighbour.receives(neighbour.holdOf({ ...order, orderId: newId("po"), ledgerAccountId: own }));
    const [message] = (await units.takeMessages()).filter(({ type }) => type === "ledger.hold-refused.v1");
    expect(message?.data).toMatchObject({ code: "obligation_not_payable" });
  });
});
