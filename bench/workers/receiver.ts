/** A tenant's webhook receiver that answers 204 and counts. Not one line more: its CPU is part of the load. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serveParent, tellParent } from "../worker.ts";

export type ToReceiver =
  /** What is counted: orders that completed, once each, or every delivery. */
  | { readonly kind: "count"; readonly what: "orders" | "deliveries" }
  /** Keep when every event arrived, until `take` asks for it. */
  | { readonly kind: "record" }
  | { readonly kind: "take" };

/** An event as it came in, in ms since 1970. */
export interface Arrival {
  readonly orderId: string;
  readonly type: string;
  readonly occurredAtMs: number;
  readonly arrivedAtMs: number;
}

export type FromReceiver =
  | { readonly kind: "listening"; readonly port: number }
  /** So many more were answered since the last time it was said. */
  | { readonly kind: "acknowledged"; readonly count: number }
  | { readonly kind: "arrivals"; readonly arrivals: readonly Arrival[] };

const tellEveryMs = 5;
let counted: "orders" | "deliveries" = "deliveries";
let arrivals: Arrival[] | undefined;
let untold = 0;
const completedOrders = new Set<string>();

const textBehind = (body: string, mark: string) => {
  const from = body.indexOf(mark) + mark.length;
  return body.slice(from, body.indexOf('"', from));
};

function take(body: string): void {
  const arrivedAtMs = performance.timeOrigin + performance.now();
  const type = textBehind(body, '"type":"');
  const orderId = textBehind(body, '"data":{"id":"');
  const occurredAtMs = arrivals === undefined ? 0 : Date.parse(textBehind(body, '"created_at":"'));
  arrivals?.push({ orderId, type, occurredAtMs, arrivedAtMs });
  if (counted === "deliveries") {
    untold += 1;
  } else if (type === "payment_order.completed" && !completedOrders.has(orderId)) {
    completedOrders.add(orderId);
    untold += 1;
  }
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    response.writeHead(204).end(() => take(Buffer.concat(chunks).toString()));
  });
}

serveParent<ToReceiver, FromReceiver>((message, tell) => {
  if (message.kind === "count") counted = message.what;
  if (message.kind === "record") arrivals = [];
  if (message.kind === "take") {
    tell({ kind: "arrivals", arrivals: arrivals ?? [] });
    arrivals = undefined;
  }
});
setInterval(() => {
  if (untold === 0) return;
  tellParent({ kind: "acknowledged", count: untold });
  untold = 0;
}, tellEveryMs);
const server = createServer({ keepAliveTimeout: 60_000 }, answer);
server.listen(0, "127.0.0.1", () =>
  tellParent({ kind: "listening", port: (server.address() as AddressInfo).port }),
);
