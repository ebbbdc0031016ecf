import { expect, it } from "vitest";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { SubmittedTermsCache } from "../store/submitted-terms-cache.ts";

const orders = new OrdersOnTest();

it("caches an order from its first event until it has ended", async () => {
  const { id } = await orders.create({ rail: "Book", counterpartyAccountNumber: orders.encrypt("Reserve") });
  const cached = () => orders.get(SubmittedTermsCache).get(orders.caller().book, id);
  await orders.holdPlaced(id);
  await orders.untilStatus(id, "Processing");
  expect(cached()).toMatchObject({ id });
  await orders.holdSettled(id);
  await orders.untilStatus(id, "Completed");
  expect(cached()).toBeUndefined();
});
