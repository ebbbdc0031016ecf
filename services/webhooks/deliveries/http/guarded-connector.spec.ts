import { once } from "node:events";
import type { LookupAddress } from "node:dns";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../../../test/stack/for-this-file.ts";
import { allowedRanges } from "../../endpoints/domain/safe-target.ts";
import { UnsafeTargetError } from "../domain/error-class.ts";
import { guardedConnector } from "./guarded-connector.ts";
import type { Resolve } from "./resolve-host.ts";

let connections = 0;
const server = await forThisFile(
  createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined);
  }),
);
server.listen(0, "127.0.0.1");
await once(server, "listening");

const loopback: LookupAddress = { address: "127.0.0.1", family: 4 };
const resolveTo =
  (...addresses: LookupAddress[]): Resolve =>
  (_hostname, _options, resolved) =>
    resolved(null, addresses);

function connect(
  hostname: string,
  allowed: ReturnType<typeof allowedRanges>,
  resolve?: Resolve,
): Promise<Socket> {
  const connector = guardedConnector(allowed, {
    probes: { resolverAnswers: () => Promise.resolve(true), hasRoute: () => Promise.resolve(true) },
    ...(resolve === undefined ? {} : { resolve }),
  });
  const port = String((server.address() as AddressInfo).port);
  return new Promise((settle, reject) => {
    connector({ hostname, host: `${hostname}:${port}`, protocol: "http:", port }, (...[error, socket]) => {
      if (error === null) settle(socket);
      else reject(error);
    });
  });
}

/** The error of a refused connection, and how many connections the server saw. */
async function refused(act: Promise<Socket>): Promise<{ error: unknown; connected: number }> {
  const before = connections;
  const error: unknown = await act.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { error, connected: connections - before };
}

const withoutConnecting = { error: new UnsafeTargetError(), connected: 0 };

describe("a connection to a receiver", () => {
  it.each(["127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]"])(
    "is not made to %s",
    async (hostname) => expect(await refused(connect(hostname, []))).toEqual(withoutConnecting),
  );

  it("is not made to a name that resolves to loopback", async () => {
    expect(await refused(connect("receiver.example", [], resolveTo(loopback)))).toEqual(withoutConnecting);
  });

  it("is not made to a name with one unsafe address among safe ones", async () => {
    const mixed = resolveTo({ address: "93.184.215.14", family: 4 }, loopback);
    expect(await refused(connect("receiver.example", [], mixed))).toEqual(withoutConnecting);
  });

  it("checks the name each time, and is refused when its address has become unsafe", async () => {
    const answers = [[loopback], [{ address: "10.0.0.1", family: 4 }]];
    const resolve: Resolve = (_hostname, _options, resolved) => resolved(null, answers.shift() ?? []);
    const allowed = allowedRanges(["127.0.0.0/8"]);
    const accepted = once(server, "connection");
    (await connect("receiver.example", allowed, resolve)).destroy();
    await accepted;
    expect(await refused(connect("receiver.example", allowed, resolve))).toEqual(withoutConnecting);
  });

  it("is closed if the socket is connected to an unsafe address", async () => {
    const allowed = allowedRanges(["127.0.0.0/8"]);
    const resolve: Resolve = (_hostname, _options, resolved) => {
      resolved(null, [loopback]);
      // Simulates a redirection below us: the address of the lookup is no longer allowed.
      allowed.length = 0;
    };
    await expect(connect("receiver.example", allowed, resolve)).rejects.toBeInstanceOf(UnsafeTargetError);
  });

  it("is made if the operator allows the address", async () => {
    const socket = await connect("127.0.0.1", allowedRanges(["127.0.0.0/8"]));
    expect(socket.remoteAddress).toBe("127.0.0.1");
    socket.destroy();
  });

  it("fails with the error of the resolver", async () => {
    const resolve: Resolve = (_hostname, _options, resolved) => resolved(new Error("ENOTFOUND"), []);
    await expect(connect("receiver.example", [], resolve)).rejects.toThrow("ENOTFOUND");
  });
});
