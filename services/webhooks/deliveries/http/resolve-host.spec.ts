import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { LookupAddress } from "node:dns";
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../../../test/stack/for-this-file.ts";
import { hostResolver } from "./resolve-host.ts";

const typeA = 1;
const failure = 2;
const notFound = 3;

/** A name server that knows `both.test` and `v4.test`, fails for `broken.test`, and is silent about `*.silent.test`. */
const server = await forThisFile(createSocket("udp4"));
server.on("message", (question, { port, address }) => {
  const labels: string[] = [];
  let end = 12;
  for (let length = question[end] ?? 0; length > 0; length = question[end] ?? 0) {
    labels.push(question.toString("latin1", end + 1, end + 1 + length));
    end += length + 1;
  }
  const name = labels.join(".").toLowerCase();
  if (name.endsWith("silent.test")) return;
  const isA = question.readUInt16BE(end + 1) === typeA;
  const knows = name === "both.test" || (name === "v4.test" && isA);
  const code = name === "broken.test" ? failure : name.endsWith("no.test") ? notFound : 0;
  const data = isA ? Buffer.from([192, 0, 2, 7]) : Buffer.from("20010db8000000000000000000000007", "hex");
  const head = Buffer.from(question.subarray(0, end + 5));
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(knows ? 1 : 0, 6);
  head.writeUInt32BE(0, 8); // no authorities, and without the options of the question
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0); // the name of the question
  record.writeUInt16BE(isA ? typeA : 28, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(data.length, 10);
  server.send(Buffer.concat([head, ...(knows ? [record, data] : [])]), port, address);
});
server.bind(0, "127.0.0.1");
await once(server, "listening");

const servers = [`127.0.0.1:${String(server.address().port)}`];
/** For names that get an answer, also after a pause of the machine. */
const resolve = hostResolver({ servers, timeoutMs: 4_000 });
/** For names whose lookup ends by its time-out. */
const resolveQuickly = hostResolver({ servers, timeoutMs: 250 });
const addressesOf = (hostname: string, by = resolve): Promise<LookupAddress[]> =>
  new Promise((settle, reject) => {
    by(hostname, { all: true }, (error, addresses) => (error === null ? settle(addresses) : reject(error)));
  });
const codeOf = (hostname: string, by = resolve) =>
  addressesOf(hostname, by).then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code,
  );

describe("the addresses of a host", () => {
  it("are those of both families", async () => {
    expect(await addressesOf("both.test")).toEqual([
      { address: "192.0.2.7", family: 4 },
      { address: "2001:db8::7", family: 6 },
    ]);
    expect(await addressesOf("v4.test")).toEqual([{ address: "192.0.2.7", family: 4 }]);
  });

  it("are known at once while the name servers of many others are silent", { retry: 2 }, async () => {
    const silent = Array.from({ length: 64 }, (_, index) =>
      codeOf(`${String(index)}.silent.test`, resolveQuickly),
    );
    const first = await Promise.race([...silent, addressesOf("v4.test", resolveQuickly)]);
    expect(first).toEqual([{ address: "192.0.2.7", family: 4 }]);
    // Nor do they use the threads of `dns.lookup`.
    expect((await addressesOf("localhost")).length).toBeGreaterThan(0);
    expect(new Set(await Promise.all(silent))).toEqual(new Set(["EAI_AGAIN"]));
  });

  it.each([
    ["the name does not exist", "no.test", "ENOTFOUND"],
    ["the name has no address", "empty.test", "ENOTFOUND"],
    ["the name server fails", "broken.test", "EAI_AGAIN"],
  ])("are missing with the code of dns.lookup if %s", async (_why, hostname, code) => {
    expect(await codeOf(hostname, hostname === "broken.test" ? resolveQuickly : resolve)).toBe(code);
  });

  it("come from the hosts file if the name has no dot", async () => {
    const [first] = await addressesOf("localhost");
    expect(["127.0.0.1", "::1"]).toContain(first?.address);
  });
});
