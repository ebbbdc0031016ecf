import type { ErrorCode } from "../../../contracts/errors.ts";
import { until } from "../../stack/until.ts";
import { anOrder, type RefusalCase } from "./scenario.ts";

const orders = "/v1/payment-orders";

/** Each takes a part of the service away, so they come last, and in this order. */
export const refusalsOfABrokenService: Partial<Record<ErrorCode, RefusalCase>> = {
  internal_error: async (scenario) => {
    await scenario.world.rows("alter table orders.payment_order rename to payment_order_away");
    try {
      return await scenario.send(orders);
    } finally {
      await scenario.world.rows("alter table orders.payment_order_away rename to payment_order");
    }
  },
  bank_statement_refused: async ({ send }) => {
    await send("/v1/simulations/bank-statement-faults", { body: { kind: "WrongHash" } });
    return send("/v1/reconciliations", { body: {}, headers: { "idempotency-key": "a wrong hash" } });
  },
  upstream_timeout: async (scenario) => {
    const { child } = scenario.world.instanceOf("orders");
    process.kill(child.pid, "SIGSTOP");
    try {
      return await scenario.sendOnce(orders, { body: anOrder(), headers: { "idempotency-key": "too late" } });
    } finally {
      process.kill(child.pid, "SIGCONT");
    }
  },
  service_unavailable: async (scenario) => {
    await scenario.world.kill(scenario.world.instanceOf("orders"));
    return until("the broker knows that orders is gone", async () => {
      const headers = { "idempotency-key": "nobody there" };
      const answered = await scenario.sendOnce(orders, { body: anOrder(), headers });
      return answered.status === 503 ? answered : undefined;
    });
  },
};
