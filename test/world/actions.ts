/** What people do to an order, each with its plain answer: a test says what it expects of it. */
import type { PaymentOrder } from "../../contracts/http/payment-orders.ts";
import type { Problem } from "../../contracts/http/problem.ts";
import type { SimulationAction } from "../../contracts/http/simulations.ts";
import type { Answer } from "../../scripts/local/api.ts";
import type { PartName } from "../../scripts/local/seed.ts";
import type { World } from "./world.ts";

/** An order, or the problem that says why there is none: `status` is the answer's own in both. */
export type OrderOrProblem = PaymentOrder & Pick<Problem, "code" | "detail" | "errors">;

export function approve(world: World, orderId: string, as: PartName): Promise<Answer<OrderOrProblem>> {
  return world.post(`/v1/payment-orders/${orderId}/approve`, undefined, { as });
}

export function cancel(world: World, orderId: string, reason?: string): Promise<Answer<OrderOrProblem>> {
  return world.post(`/v1/payment-orders/${orderId}/cancel`, reason === undefined ? undefined : { reason });
}

export function submit(
  world: World,
  orderId: string,
  as: PartName = "maker",
): Promise<Answer<OrderOrProblem>> {
  return world.post(`/v1/payment-orders/${orderId}/submit`, undefined, { as });
}

/** What a rail made of what QA asked, or why it can't. */
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
  return world.post(`/v1/simulations/payment-orders/${orderId}/${action}`, body);
}
