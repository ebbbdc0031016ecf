/**
 * A tenant's webhook receiver that answers 204 and counts. It does nothing else, because its CPU is part of the load.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serveParent, sendToParent } from "../worker.ts";
import { earlierOrderId } from "./earlier-order.ts";

export type ToReceiver =
  /** Count completed orders, once each, or every delivery. */
  | { readonly kind: "count"; readonly what: "orders" | "deliveries" }
  /** Record when every event arrived, until `take`. */
  | { readonly kind: "record" }
  | { readonly kind: "take" };

/** An event that arrived; times in ms since 1970. */
export interface Arrival {
  readonly orderId: string;
  readonly type: string;
  readonly occurredAtMs: number;
  readonly arrivedAtMs: number;
}

export type FromReceiver =
  | { readonly kind: "listening"; readonly port: number }
  /** How many deliveries were answered since the last such message; `earlier` are those of `earlierOrderId`. */
  | { readonly kind: "acknowledged"; readonly count: number; readonly earlier: number }
  | { readonly kind: "arrivals"; readonly arrivals: readonly Arrival[] };

const reportIntervalMs = 5;
let counted: "orders" | "deliveries" = "deliveries";
let arrivals: Arrival[] | undefined;
let unreported = 0;
let unreportedEarlier = 0;
const completedOrders = new Set<string>();

const textAfter = (body: string, mark: string) => {
  const from = body.indexOf(mark) + mark.length;
  return body.slice(from, body.indexOf('"', from));
};

function take(body: string): void {
  const arrivedAtMs = performance.timeOrigin + performance.now();
  const type = textAfter(body, '"type":"');
  const orderId = textAfter(body, '"data":{"id":"');
  const occurredAtMs = arrivals === undefined ? 0 : Date.parse(textAfter(body, '"created_at":"'));
  arrivals?.push({ orderId, type, occurredAtMs, arrivedAtMs });
  if (orderId === earlierOrderId) {
    unreportedEarlier += 1;
  } else if (counted === "deliveries") {
    unreported += 1;
  } else if (type === "payment_order.completed" && !completedOrders.has(orderId)) {
    completedOrders.add(orderId);
    unreported += 1;
  }
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    response.writeHead(204).end(() => take(Buffer.concat(chunks).toString()));
  });
}

serveParent<ToReceiver, FromReceiver>((message, reply) => {
  if (message.kind === "count") counted = message.what;
  if (message.kind === "record") arrivals = [];
  if (message.kind === "take") {
    reply({ kind: "arrivals", arrivals: arrivals ?? [] });
    arrivals = undefined;
  }
});
setInterval(() => {
  if (unreported + unreportedEarlier === 0) return;
  sendToParent({ kind: "acknowledged", count: unreported, earlier: unreportedEarlier });
  unreported = 0;
  unreportedEarlier = 0;
}, reportIntervalMs);
const server = createServer({ keepAliveTimeout: 60_000 }, answer);
server.listen(0, "127.0.0.1", () =>
  sendToParent({ kind: "listening", port: (server.address() as AddressInfo).port }),
);
