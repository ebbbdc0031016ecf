import { describe, expect, it } from "vitest";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { bookIdOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { approve, simulate, submit } from "../../world/actions.ts";
import { counterpartyOn, type Payer } from "../../world/payer.ts";
import { linesOf, receivedEventsOf } from "../../world/story.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());

describe.concurrent("QA decides what the rail does", () => {
  it.each([
    { action: "settle", rail: "Ach", status: "Completed" },
    { action: "fail", rail: "Wire", status: "Failed" },
    { action: "return", rail: "SameDayAch", status: "Returned" },
    { action: "late-return", rail: "Ach", status: "Completed" },
  ] as const)("keeps $action for a Draft on $rail until its hand-off", async ({ action, rail, status }) => {
    const payer = await world.payerWith(usd("100.00"));
    const draft = await payer.pays(usd("40.00"), { rail, submit: false });
    const kept = await simulate(world, draft.id, action);
    expect(kept).toMatchObject({ status: 200, body: { paymentOrderId: draft.id, action, effect: "Kept" } });

    await submit(world, draft.id);
    if (rail === "Wire") await approveTwice(draft.id);
    expect((await world.comesToRest(draft.id)).status).toBe(status);
    const isBack = action !== "settle";
    const left = await world.reaches(draft.id, (seen) => action !== "late-return" || seen.return !== null);
    expect(left.return?.late ?? false).toBe(action === "late-return");
    expect((await payer.balance()).available).toBe(isBack ? usd("100.00") : usd("60.00"));
  });

  it("gives the reason for which the rail refused it", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const draft = await payer.pays(usd("40.00"), { rail: "Rtp", submit: false });
    await simulate(world, draft.id, "fail", { code: "AM14" });
    await submit(world, draft.id);
    expect((await world.comesToRest(draft.id)).failure).toEqual({
      code: "AM14",
      message: "The amount is above what the receiver's bank accepts",
    });
  });

  it("returns a payment that the rail has accepted", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const draft = await payer.pays(usd("40.00"), { rail: "Ach", submit: false });
    await simulate(world, draft.id, "accept");
    await submit(world, draft.id);
    await world.reaches(draft.id, ({ railReference }) => railReference !== null);
    expect((await simulate(world, draft.id, "return", { code: "R04" })).body.effect).toBe("Applied");
    expect((await world.comesToRest(draft.id)).return).toMatchObject({
      code: "R04",
      reason: "InvalidAccountNumber",
    });
    expect((await payer.balance()).available).toBe(usd("100.00"));
  });

  it("refuses a code that can't happen there, and names those that can", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const draft = await payer.pays(usd("40.00"), { rail: "Ach", submit: false });
    const refused = await simulate(world, draft.id, "return", { code: "R01" });
    expect(refused).toMatchObject({ status: 422, body: { code: "simulation_not_applicable" } });
    const possible = "R02 R03 R04 R06 R12 R14 R15 R16 R17 R20 R21 R22 R23 R24";
    expect(refused.body.allowedCodes).toEqual(possible.split(" "));
  });

  it("refuses a magic account number whose code can't happen there, at submission", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const draft = await payer.pays(usd("40.00"), { rail: "Ach", to: "100001", submit: false });
    const refused = await submit(world, draft.id);
    expect(refused).toMatchObject({
      status: 422,
      body: { code: "simulation_not_applicable", rail: "Ach", direction: "Credit" },
    });
    expect(refused.body.detail).toContain("R02, R03");
    expect((await world.order(draft.id)).status).toBe("Draft");
  });

  it("points to late-return if a settled payment is asked to return", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await world.comesToRest((await payer.pays(usd("40.00"), { rail: "Ach" })).id);
    const refused = await simulate(world, order.id, "return", { code: "R03" });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ code: "simulation_not_applicable", instead: "late-return" });
  });

  it("reports the same late return twice, as banks do, and books it once", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await world.comesToRest((await payer.pays(usd("40.00"), { rail: "Ach" })).id);
    for (const effect of ["Applied", "Repeat"]) {
      expect((await simulate(world, order.id, "late-return", { code: "R03" })).body.effect).toBe(effect);
      await receivedEventsOf(world, order.id, 5);
    }
    const other = await simulate(world, order.id, "late-return", { code: "R04" });
    expect([other.status, other.body.code]).toEqual([422, "simulation_not_applicable"]);

    await isQuiet(payer);
    expect(await linesOf(payer, order.id)).toEqual([
      "Hold: Debit 4000 Pending",
      "Discharge: Credit 4000 Pending",
      "Settle: Debit 4000 Posted",
      "LateReturn: Credit 4000 Posted",
    ]);
    expect(await receivedEventsOf(world, order.id, 5)).toHaveLength(5);
    expect((await world.order(order.id)).return).toMatchObject({ code: "R03", late: true });
    const parked = "select message_id from orders.parked_event where order_id = $1";
    expect(await world.rows(parked, [order.id])).toEqual([]);
  });

  it("forces an impossible code if QA asks for it", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const draft = await payer.pays(usd("40.00"), { rail: "Ach", submit: false });
    expect((await simulate(world, draft.id, "return", { code: "R01", force: true })).body.effect).toBe(
      "Kept",
    );
    await submit(world, draft.id);
    expect((await world.comesToRest(draft.id)).return).toMatchObject({
      code: "R01",
      reason: "InsufficientFunds",
    });
  });

  it("does nothing to a Book transfer, which never meets a rail", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const other = await world.payerWith(0);
    const draft = await payer.pays(usd("40.00"), { rail: "Book", to: other.accountId, submit: false });
    const refused = await simulate(world, draft.id, "fail");
    expect([refused.status, refused.body.code]).toEqual([422, "simulation_not_applicable"]);
  });
});

describe("a Live book", () => {
  it("is never simulated: not by a call, not by a magic number, not by default", async () => {
    const as = "live";
    const account = await world.post("/v1/ledger-accounts", { name: "Real money" }, { as });
    expect(account.status).toBe(201);
    const credit = { direction: "Credit", rail: "Ach", amountCents: usd("40.00") };
    const body = { ...credit, ledgerAccountName: "Real money", ...counterpartyOn("Ach", "100003") };
    const refused = { code: "rail_not_configured", rail: "Ach", mode: "Live" };
    expect(await world.post("/v1/payment-orders", body, { as })).toMatchObject({
      status: 422,
      body: refused,
    });

    const draft = await world.post<PaymentOrder>("/v1/payment-orders", { ...body, submit: false }, { as });
    expect(draft.body).toMatchObject({ status: "Draft", mode: "Live" });
    const path = `/v1/simulations/payment-orders/${draft.body.id}/settle`;
    const simulated = await world.post(path, {}, { as });
    expect(simulated).toMatchObject({ status: 403, body: { code: "simulation_requires_test_key" } });
    expect((await submit(world, draft.body.id, as)).body.code).toBe("rail_not_configured");
    const liveBook = uuidOf(bookIdOf(world.tenant.tenant.id, "Live"));
    expect(await world.rows("select order_id from rails.instruction where book_id = $1", [liveBook])).toEqual(
      [],
    );
  });
});

async function approveTwice(orderId: string): Promise<void> {
  await approve(world, orderId, "approver1");
  await approve(world, orderId, "approver2");
}

/** Waits until one more payment has completed, so that everything published before it is processed. */
async function isQuiet(payer: Payer): Promise<void> {
  await world.comesToRest((await payer.pays(usd("1.00"))).id);
}
