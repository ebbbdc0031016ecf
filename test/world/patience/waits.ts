import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import type { Answer } from "../../../scripts/local/demo/api.ts";
import { until } from "../../stack/until.ts";
import { isAway } from "./away.ts";

/** The longest wait of a write: its answer comes within the gateway's deadline. */
const waitSeconds = 8;
export const wait = { prefer: `wait=${String(waitSeconds)}` };

/**
 * Sends a request with `wait`, about a new order each time, until its order has this status. Sends again only while a
 * service is away, or where the answer came because the wait was over: that is right on a slow machine.
 */
export function waitsFor<A extends Pick<Answer<PaymentOrder>, "body">>(
  status: PaymentOrder["status"],
  send: () => Promise<A>,
): Promise<A> {
  return until(`an answer that says ${status}`, async () => {
    const sentAt = performance.now();
    const answer = await send();
    const waitIsOver = performance.now() - sentAt > waitSeconds * 1_000 - 100;
    const isEarly = answer.body.status !== status && waitIsOver;
    return isEarly || isAway(answer.body) ? undefined : answer;
  }) as Promise<A>;
}
