/** Receivers of webhooks that do everything wrong, on sockets of their own on loopback. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type Certified, certify } from "./certificates.ts";

/** The host name that their certificates should be for. Resolve it to 127.0.0.1. */
export const badHost = "receiver.example";

const megabytes = Buffer.alloc(10 * 1024 * 1024, "x");
const manyHeaders = Array.from(
  { length: 1_000 },
  (_, number) => `x-header-${String(number)}: some value\r\n`,
);
const dripEveryMs = 1_000;
const streamEveryMs = 10;

/** Sends the same again and again until the other side has enough. */
function repeat(socket: Socket, head: string, text: string, everyMs: number): void {
  socket.write(head);
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.once("close", () => clearInterval(timer));
}

/** Sends a byte a second. */
const drip = (socket: Socket, head: string) => repeat(socket, head, "x", dripEveryMs);

/** What each does with a request. */
const plain = {
  hangs: () => undefined,
  dripsHeaders: (socket) => drip(socket, "HTTP/1.1 200 OK\r\nx-slow: "),
  dripsBody: (socket) => drip(socket, "HTTP/1.1 500 Oops\r\ncontent-length: 1000000\r\n\r\n"),
  answersTenMegabytes: (socket) => {
    socket.write(`HTTP/1.1 500 Oops\r\ncontent-length: ${String(megabytes.length)}\r\n\r\n`);
    socket.write(megabytes);
  },
  // Without a length, the body ends with the connection.
  answersWithoutEnd: (socket) =>
    repeat(socket, "HTTP/1.1 500 Oops\r\n\r\n", "x".repeat(16_384), streamEveryMs),
  closesMidHeader: (socket) => socket.end("HTTP/1.1 200 OK\r\nx-he"),
  sendsThousandHeaders: (socket) =>
    socket.end(`HTTP/1.1 200 OK\r\n${manyHeaders.join("")}content-length: 0\r\n\r\n`),
  redirects: (socket) =>
    socket.write("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"),
  resets: (socket) => socket.resetAndDestroy(),
  talksNoHttp: (socket) => socket.end("220 mail.example ESMTP\r\n"),
  answersInterimOnly: (socket) => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"),
} as const satisfies Record<string, (socket: Socket) => unknown>;

export const badKinds = [
  ...(Object.keys(plain) as (keyof typeof plain)[]),
  "hangsInHandshake",
  "servesExpiredCertificate",
  "servesForeignCertificate",
] as const;
export type BadKind = (typeof badKinds)[number];

export interface BadReceivers {
  /** The certificate of the authority that the receivers' own are from. */
  readonly authority: string;
  urlOf(kind: BadKind): string;
  /** How many connections to it are open. */
  connectionsOf(kind: BadKind): number;
  close(): Promise<void>;
}

function serverOf(kind: BadKind, authority: Certified): Server {
  if (kind === "hangsInHandshake") return createServer(() => undefined);
  if (kind === "servesExpiredCertificate" || kind === "servesForeignCertificate") {
    const { cert, keyPem } = certify(
      kind === "servesExpiredCertificate"
        ? { name: badHost, issuer: authority, endsAt: new Date(Date.now() - 1_000) }
        : { name: "somebody-else.example", issuer: authority },
    );
    return createTlsServer({ cert, key: keyPem }).on("tlsClientError", () => undefined);
  }
  return createServer((socket) => void socket.on("data", () => plain[kind](socket)));
}

export async function openBadReceivers(): Promise<BadReceivers> {
  const authority = certify({ name: "Authority of the tests" });
  const sockets = new Map(badKinds.map((kind): [BadKind, Set<Socket>] => [kind, new Set()]));
  const servers = new Map<BadKind, Server>();
  for (const kind of badKinds) {
    const server = serverOf(kind, authority);
    const open = sockets.get(kind);
    server.on("connection", (socket: Socket) => {
      open?.add(socket);
      socket.on("error", () => undefined).once("close", () => open?.delete(socket));
      // Otherwise it would not see that the other side has closed.
      socket.resume();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    servers.set(kind, server);
  }
  return {
    authority: authority.cert,
    urlOf: (kind) => {
      const scheme = kind in plain ? "http" : "https";
      const { port } = servers.get(kind)!.address() as AddressInfo;
      return `${scheme}://${badHost}:${String(port)}/hooks`;
    },
    connectionsOf: (kind) => sockets.get(kind)?.size ?? 0,
    close: async () => {
      for (const open of sockets.values()) for (const socket of open) socket.destroy();
      await Promise.all(
        [...servers.values()].map((server) => new Promise((resolve) => server.close(resolve))),
      );
    },
  };
}
