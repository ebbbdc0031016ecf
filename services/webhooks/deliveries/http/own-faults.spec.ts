import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterAll, describe, expect, it } from "vitest";
import { NetworkProbes, ownFaultIn, type Probes } from "./own-faults.ts";

const failed = (code: string, address?: string) =>
  Object.assign(new Error(`connect ${code}`), { code, ...(address === undefined ? {} : { address }) });
const probes = (well: boolean): Probes => ({
  resolverAnswers: () => Promise.resolve(well),
  hasRoute: () => Promise.resolve(well),
});
const reasonOf = async (error: Error, well = false) => (await ownFaultIn(error, probes(well)))?.reason;

describe("a failure is ours", () => {
  it.each([
    ["without file handles in the process", "EMFILE", "Resources"],
    ["without file handles in the host", "ENFILE", "Resources"],
    ["without memory for sockets", "ENOBUFS", "Resources"],
    ["without a local port", "EADDRNOTAVAIL", "Ports"],
    ["without a route to the address", "ENETUNREACH", "Route"],
    ["without a network", "ENETDOWN", "Route"],
  ])("%s", async (_when, code, reason) => expect(await reasonOf(failed(code, "192.0.2.1"))).toBe(reason));

  it.each(["EAI_AGAIN", "EAI_FAIL", "ESERVFAIL", "ETIMEOUT"])(
    "if a lookup ends as %s, and the resolver answers nothing else either",
    async (code) => expect(await reasonOf(failed(code))).toBe("Resolver"),
  );

  it("if none of several addresses has a route", async () => {
    const all = new AggregateError([
      failed("ENETUNREACH", "2001:db8::1"),
      failed("ENETUNREACH", "192.0.2.1"),
    ]);
    expect(await reasonOf(all)).toBe("Route");
  });

  it("if none of several addresses has a route, and an IPv6 one took too long", async () => {
    const all = new AggregateError([
      failed("ENETUNREACH", "192.0.2.1"),
      failed("ETIMEDOUT", "2001:db8::1"),
      failed("ENETUNREACH", "2001:db8::2"),
    ]);
    const wrapped = Object.assign(new Error("Connect Timeout Error", { cause: all }), {
      code: "UND_ERR_CONNECT_TIMEOUT",
    });
    expect(await reasonOf(wrapped)).toBe("Route");
  });
});

describe("a failure is the receiver's", () => {
  it.each(["ENOTFOUND", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EHOSTUNREACH", "CERT_HAS_EXPIRED"])(
    "if it is %s",
    async (code) => expect(await reasonOf(failed(code, "192.0.2.1"))).toBeUndefined(),
  );

  it("if its name servers don't answer our resolver, which is well", async () => {
    expect(await reasonOf(failed("EAI_AGAIN"), true)).toBeUndefined();
  });

  it("if a distant router has no route, and we have one", async () => {
    expect(await reasonOf(failed("ENETUNREACH", "192.0.2.1"), true)).toBeUndefined();
  });

  it("if it has addresses of IPv6 alone, which we don't reach", async () => {
    expect(await reasonOf(failed("ENETUNREACH", "2001:db8::1"))).toBeUndefined();
    expect(await reasonOf(failed("EADDRNOTAVAIL", "2001:db8::1"))).toBeUndefined();
  });

  it("if one of its addresses refused", async () => {
    const both = new AggregateError([
      failed("ENETUNREACH", "192.0.2.1"),
      failed("ECONNREFUSED", "192.0.2.2"),
    ]);
    expect(await reasonOf(both)).toBeUndefined();
  });
});

/** A name server that counts questions, and answers each with this code (0: it knows, 2: failure, 3: no such name). */
async function nameServer(code: number | undefined) {
  const server = createSocket("udp4");
  let questions = 0;
  server.on("message", (question, { port, address }) => {
    questions += 1;
    if (code === undefined) return;
    const answer = Buffer.from(question);
    answer.writeUInt16BE(0x8180 | code, 2);
    if (code === 0) answer.writeUInt16BE(1, 6);
    // Name: the root. Type NS, class IN, one hour, and the name server `a`.
    const record = Buffer.from("00000200010000 0e1000030161 00".replaceAll(" ", ""), "hex");
    const end = answer.indexOf(Buffer.from("0000020001", "hex"), 12) + 5;
    const sections = Buffer.concat([answer.subarray(0, end), ...(code === 0 ? [record] : [])]);
    sections.writeUInt16BE(0, 10); // without the options of the question
    server.send(sections, port, address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  afterAll(() => server.close());
  return { address: `127.0.0.1:${String(server.address().port)}`, questions: () => questions };
}

describe("a resolver", () => {
  it.each([
    ["answers, if it knows the root", 0, true],
    ["answers, if it says that there is no such name", 3, true],
    ["does not answer, if it fails", 2, false],
    ["does not answer, if it is silent", undefined, false],
  ])("%s", async (_what, code, answers) => {
    const server = await nameServer(code);
    expect(await new NetworkProbes([server.address]).resolverAnswers()).toBe(answers);
    expect(server.questions()).toBeGreaterThan(0);
  });

  it("is asked once, however many lookups fail", async () => {
    const server = await nameServer(0);
    const network = new NetworkProbes([server.address]);
    const answers = await Promise.all(Array.from({ length: 100 }, () => network.resolverAnswers()));
    expect([new Set(answers), server.questions()]).toEqual([new Set([true]), 1]);
  });
});

describe("the routing table", () => {
  it("has a route to loopback, and none to the broadcast address", async () => {
    const network = new NetworkProbes();
    expect(await network.hasRoute("127.0.0.1")).toBe(true);
    expect(await network.hasRoute("255.255.255.255")).toBe(false);
  });
});
