/** A receiver that has an IPv4 and an IPv6 address, on a host without IPv6. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { beforeEach, describe, expect, it } from "vitest";
import { SystemClock } from "../../process-clock.ts";
import { allowedRanges } from "../../endpoints/domain/safe-target.ts";
import { Connection } from "./connection.ts";
import { guardedConnector } from "./guarded-connector.ts";
import { post } from "./post.ts";

/**
 * Listens on 127.0.0.1, and then blocks its thread until it is released: two connections wait for it, and the packets
 * that would open more are dropped. Released, it answers 204.
 */
const blockedReceiver = `
  const { createServer } = require("node:http");
  const { parentPort, workerData } = require("node:worker_threads");
  const server = createServer((request, response) => request.resume().on("end", () => response.writeHead(204).end()));
  server.listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(workerData, 0, 0);
  });
`;

const addresses = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];
const clock = new SystemClock();
let released: Int32Array;
let receiver: Worker;
let waiting: Socket[];
let port: number;

beforeEach(async () => {
  released = new Int32Array(new SharedArrayBuffer(4));
  receiver = new Worker(blockedReceiver, { eval: true, workerData: released });
  [port] = (await once(receiver, "message")) as [number];
  waiting = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
  for (const socket of waiting) socket.on("error", () => undefined);
  await Promise.all(waiting.map((socket) => once(socket, "connect")));
  return async () => {
    release();
    for (const socket of waiting) socket.destroy();
    await receiver.terminate();
  };
});

function release(): void {
  Atomics.store(released, 0, 1);
  Atomics.notify(released, 0);
}

/** One attempt. `onAddress` is called when the first packet to the receiver's IPv4 address has been dropped. */
async function attempt(onAddress: () => void) {
  const connector = guardedConnector(allowedRanges(["127.0.0.0/8", "::1/128"]), {
    probes: { resolverAnswers: () => Promise.resolve(true), hasRoute: () => Promise.resolve(true) },
    resolve: (_hostname, _options, resolved) => setImmediate(() => resolved(null, addresses)),
  });
  const observed: typeof connector = (target, callback, onStep) =>
    connector(target, callback, onStep)?.once("connectionAttempt", () => setImmediate(onAddress));
  const connection = new Connection(`http://receiver.example:${String(port)}`, observed, clock);
  const request = { path: "/", headers: {}, body: Buffer.from("{}") };
  const result = await post(connection, request, clock, 30_000);
  await connection.close();
  return result;
}

describe("an attempt at a receiver with two addresses, of which one can't be reached", () => {
  it("reaches the other one, though connecting takes a second", { retry: 2 }, async () => {
    const result = await attempt(release);
    expect(result).toMatchObject({ responseStatus: 204, errorClass: null });
  });

  it("is of class Connect if the other one does not answer for four seconds", async () => {
    const result = await attempt(() => undefined);
    expect(result).toMatchObject({ responseStatus: null, errorClass: "Connect", ownFault: null });
    expect(result.durationMs).toBeGreaterThanOrEqual(3_900);
  });
});
