/** What every service knows of a payment, in one list. */
import { expect, it } from "vitest";
import type { PaymentOrderTimeline } from "../../../contracts/http/payments/payment-order-timeline.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());

it("tells the story of a payment that its bank returned", async () => {
  const payer = await world.payerWith(usd("100.00"));
  const order = await payer.pays(usd("40.00"), { rail: "Ach", to: "100003" });
  await world.comesToRest(order.id);
  await world.receivesEvent(order.id, "Returned");
  const { status, body } = await world.get<PaymentOrderTimeline>(`/v1/payment-orders/${order.id}/timeline`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ truncated: false, unavailable: [], leftOut: [] });
  const known = body.data.filter(({ source }) => source !== "Webhooks");
  expect(known.map(({ kind, status: to, code }) => [to ?? kind, code])).toEqual([
    ["Draft", null],
    ["Submitted", null],
    ["HoldPlaced", null],
    ["Pending", null],
    ["Processing", null],
    ["InstructionSubmitted", null],
    ["InstructionAccepted", null],
    ["InstructionReturned", "R03"],
    ["HoldReleased", null],
    ["Returned", null],
  ]);
  const webhooks = body.data.filter(({ source }) => source === "Webhooks");
  expect(webhooks.map(({ eventType }) => eventType)).toEqual([
    "payment_order.submitted",
    "payment_order.pending",
    "payment_order.processing",
    "payment_order.returned",
  ]);
});
