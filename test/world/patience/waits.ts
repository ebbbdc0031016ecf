import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import type { Answer } from "../../../scripts/local/demo/api.ts";
import { until } from "../../stack/until.ts";
import { isTransient } from "./transient.ts";

/** The longest wait of a write: its answer comes within the gateway's deadline. */
const waitSeconds = 8;
export const wait = { prefer: `wait=${String(waitSeconds)}` };

/**
 * Sends a request with `wait`, about a new order each time, until its order has this status. Sends again only while a
 * service is away, where the wait was over, or where the first answer was lost: a repeat does not wait. None of the
 * three is a fault: they happen on a slow machine. `prepare` makes what the request needs; its time does not count.
 */
export function waitsFor<A extends Pick<Answer<PaymentOrder>, "body" | "headers">, P = undefined>(
  status: PaymentOrder["status"],
  send: (prepared: P) => Promise<A>,
  prepare: () => Promise<P> = () => Promise.resolve(undefined as P),
): Promise<A> {
  return until(`an answer that says ${status}`, async () => {
    const prepared = await prepare();
    const sentAt = performance.now();
    const answer = await send(prepared);
    const waitIsOver = performance.now() - sentAt > waitSeconds * 1_000 - 100;
    const isRepeat = answer.headers.get("idempotent-replayed") === "true";
    const isEarly = answer.body.status !== status && (waitIsOver || isRepeat);
    return isEarly || isTransient(answer.body) ? undefined : answer;
  }) as Promise<A>;
}
