/** A webhook receiver that answers each request after ten seconds, and counts its connections. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveParent, sendToParent } from "../worker.ts";

/** Asks for the connections, and the most since the last such question. */
export interface ToSlowReceiver {
  readonly kind: "count";
}

export type FromSlowReceiver =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "counted"; readonly open: number; readonly most: number };

export const answersAfterMs = 10_000;
let open = 0;
let most = 0;

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  setTimeout(() => response.writeHead(204).end(), answersAfterMs);
});
server.on("connection", (socket) => {
  open += 1;
  most = Math.max(most, open);
  socket.once("close", () => (open -= 1));
});

serveParent<ToSlowReceiver, FromSlowReceiver>((_message, reply) => {
  reply({ kind: "counted", open, most });
  most = open;
});
server.listen(0, "127.0.0.1", () =>
  sendToParent({ kind: "listening", port: (server.address() as AddressInfo).port }),
);
