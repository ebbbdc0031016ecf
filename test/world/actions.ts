/** Requests about an order, each with its response; the test checks the status. */
import type { PaymentOrder, Problem } from "../../clients/typescript/types.gen.ts";
import type { SimulationAction } from "../../contracts/http/sandbox/simulations.ts";
import type { Answer } from "../../scripts/local/demo/api.ts";
import type { PartName } from "../../scripts/local/demo/seed.ts";
import {
  answerOf,
  approvePaymentOrder,
  cancelPaymentOrder,
  denyPaymentOrder,
  simulatePaymentOrder,
  submitPaymentOrder,
} from "./client.ts";
import type { World } from "./world.ts";

/** An order, or a problem. `status` is a field of both. */
export type OrderOrProblem = PaymentOrder & Pick<Problem, "code" | "detail" | "errors">;

/** With the hash of what the approver was shown, if there is one. */
export function approve(
  world: World,
  orderId: string,
  as: PartName,
  orderHash?: string,
): Promise<Answer<OrderOrProblem>> {
  const body = orderHash === undefined ? {} : { body: { orderHash } };
  return orderOrProblem(approvePaymentOrder({ client: world.client(as), path: { id: orderId }, ...body }));
}

export function cancel(world: World, orderId: string, reason?: string): Promise<Answer<OrderOrProblem>> {
  const body = reason === undefined ? {} : { body: { reason } };
  return orderOrProblem(cancelPaymentOrder({ client: world.client(), path: { id: orderId }, ...body }));
}

export function deny(
  world: World,
  orderId: string,
  reason: string,
  as: PartName,
): Promise<Answer<OrderOrProblem>> {
  return orderOrProblem(
    denyPaymentOrder({ client: world.client(as), path: { id: orderId }, body: { reason } }),
  );
}

export function submit(
  world: World,
  orderId: string,
  as: PartName = "maker",
): Promise<Answer<OrderOrProblem>> {
  return orderOrProblem(submitPaymentOrder({ client: world.client(as), path: { id: orderId } }));
}

function orderOrProblem(
  result: Parameters<typeof answerOf<PaymentOrder>>[0],
): Promise<Answer<OrderOrProblem>> {
  return answerOf(result) as Promise<Answer<OrderOrProblem>>;
}

/** The result of a simulation, or the problem. */
export interface Simulated extends Problem {
  readonly effect?: "Applied" | "Kept";
  readonly allowedCodes?: readonly string[];
}

export function simulate(
  world: World,
  orderId: string,
  action: SimulationAction,
  body: { code?: string; force?: boolean } = {},
): Promise<Answer<Simulated>> {
  const result = simulatePaymentOrder({ client: world.client(), path: { id: orderId, action }, body });
  return answerOf<unknown>(result) as Promise<Answer<Simulated>>;
}
