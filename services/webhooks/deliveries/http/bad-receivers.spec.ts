/** Receivers that do everything wrong: each attempt ends in time, and says why it failed. */
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { badHost, type BadKind, openBadReceivers } from "../../../../test/stack/receivers/bad-receivers.ts";
import { forThisFile } from "../../../../test/stack/for-this-file.ts";
import { until } from "../../../../test/stack/until.ts";
import { SystemClock } from "../../process-clock.ts";
import { allowedRanges } from "../../endpoints/domain/safe-target.ts";
import { Connection } from "./connection.ts";
import { guardedConnector } from "./guarded-connector.ts";
import { post } from "./post.ts";

const receivers = await forThisFile(openBadReceivers());
const authorities = getCACertificates("default");
beforeAll(() => setDefaultCACertificates([...authorities, receivers.authority]));
afterAll(() => setDefaultCACertificates(authorities));

const clock = new SystemClock();
const connector = guardedConnector(allowedRanges(["127.0.0.0/8"]), {
  probes: { resolverAnswers: () => Promise.resolve(true), hasRoute: () => Promise.resolve(true) },
  resolve: (_hostname, _options, resolved) =>
    setImmediate(() => resolved(null, [{ address: "127.0.0.1", family: 4 }])),
});

/** One attempt, on a connection of its own. */
async function attempt(url: string, timeoutMs: number) {
  const connection = new Connection(new URL(url).origin, connector, clock);
  const request = {
    path: "/hooks",
    headers: { "content-type": "application/json" },
    body: Buffer.from("{}"),
  };
  const result = await post(connection, request, clock, timeoutMs);
  await connection.close();
  return result;
}

/** The attempt at a kind of receiver; no connection to it is left. */
async function attemptAt(kind: BadKind, timeoutMs: number) {
  const result = await attempt(receivers.urlOf(kind), timeoutMs);
  await until(`no connection to one that ${kind}`, () => receivers.connectionsOf(kind) === 0);
  return result;
}

/** For an attempt that ends by its time-out. */
const quick = 200;
/** For one that ends by its time-out after something has to have come in time. */
const inTime = 10 * quick;
/** For one that ends before it. */
const long = 30_000;

describe("an attempt at a receiver", () => {
  it.each<[BadKind, string, number | null, RegExp]>([
    ["hangs", "Timeout", null, /^no complete answer within 0.2 s$/],
    ["dripsHeaders", "Timeout", null, /^no complete answer/],
    ["answersTenMegabytes", "Status", 500, /^none$/],
    ["closesMidHeader", "Reset", null, /UND_ERR_SOCKET/],
    ["sendsThousandHeaders", "TooLong", null, /UND_ERR_HEADERS_OVERFLOW/],
    ["redirects", "Redirect", 302, /^none$/],
    ["resets", "Reset", null, /ECONNRESET/],
    ["talksNoHttp", "Reset", null, /HTTPParserError/],
    ["answersInterimOnly", "Timeout", null, /^no complete answer/],
    ["hangsInHandshake", "Timeout", null, /^no complete answer/],
    ["servesExpiredCertificate", "Tls", null, /CERT_HAS_EXPIRED/],
    ["servesForeignCertificate", "Tls", null, /ERR_TLS_CERT_ALTNAME_INVALID/],
  ])("that %s is of class %s", async (kind, errorClass, responseStatus, error) => {
    const endsByTimeout = error.source.includes("no complete answer");
    const result = await attemptAt(kind, endsByTimeout ? quick : long);
    expect(result).toMatchObject({ errorClass, responseStatus, ownFault: null });
    expect(result.error ?? "none").toMatch(error);
    expect(result.durationMs).toBeLessThan(long);
  });

  it("that dripsBody is of class Status", { retry: 2 }, async () => {
    expect(await attemptAt("dripsBody", inTime)).toMatchObject({
      errorClass: "Status",
      responseStatus: 500,
      ownFault: null,
      error: expect.stringMatching(/^no complete answer/),
    });
  });

  it("that answers 10 MiB has the first 16 KiB stored", async () => {
    const { responseBody } = await attemptAt("answersTenMegabytes", long);
    expect(responseBody).toBe("x".repeat(16_384));
  });

  it("that answers without end is closed after 16 KiB, not at the time-out, and its status counts", async () => {
    expect(await attemptAt("answersWithoutEnd", 60_000)).toMatchObject({
      errorClass: "Status",
      responseStatus: 500,
      responseBody: "x".repeat(16_384),
      error: null,
    });
  });

  it.each([badHost, "127.0.0.1"])("that refuses connections is of class Connect: %s", async (host) => {
    const gone = await openBadReceivers();
    const url = gone.urlOf("hangs").replace(badHost, host);
    await gone.close();
    expect(await attempt(url, long)).toMatchObject({
      errorClass: "Connect",
      error: expect.stringMatching(/ECONNREFUSED/),
    });
  });
});

describe("a lookup that never ends", () => {
  it.each([
    ["is the receiver's if our resolver answers other questions", true, "Timeout"],
    ["is ours if our resolver does not answer", false, "Ours"],
  ])("%s", async (_whose, answers, errorClass) => {
    const unresolved = guardedConnector([], {
      probes: { resolverAnswers: () => Promise.resolve(answers), hasRoute: () => Promise.resolve(true) },
      resolve: () => undefined,
    });
    const connection = new Connection("https://receiver.example", unresolved, clock);
    const request = { path: "/", headers: {}, body: Buffer.from("{}") };
    expect(await post(connection, request, clock, quick)).toMatchObject({ errorClass, responseStatus: null });
    await connection.close();
  });
});

describe("the timings of an attempt", { retry: 2 }, () => {
  const some = expect.any(Number);

  it("tell where it hung: in the TLS handshake", async () => {
    expect((await attemptAt("hangsInHandshake", inTime)).timings).toEqual({
      dnsMs: some,
      connectMs: some,
      tlsMs: null,
      firstByteMs: null,
    });
  });

  it("tell where it hung: before the first byte", async () => {
    const { durationMs, timings } = await attemptAt("hangs", inTime);
    expect(timings).toEqual({ dnsMs: some, connectMs: some, tlsMs: null, firstByteMs: null });
    expect(durationMs).toBeGreaterThanOrEqual(inTime - 5);
  });

  it("have the first byte of what never ends", async () => {
    expect((await attemptAt("dripsHeaders", inTime)).timings.firstByteMs).toEqual(some);
  });

  it("have no phases of connecting on a reused connection", async () => {
    const url = receivers.urlOf("redirects");
    const connection = new Connection(new URL(url).origin, connector, clock);
    const request = { path: "/", headers: {}, body: Buffer.from("{}") };
    const first = await post(connection, request, clock, long);
    const second = await post(connection, request, clock, long);
    await connection.close();
    expect(first.timings).toEqual({ dnsMs: some, connectMs: some, tlsMs: null, firstByteMs: some });
    expect(second.timings).toEqual({ dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: some });
  });
});

it("gives a receiver 15 seconds, at every stage", async () => {
  const stages: readonly BadKind[] = [
    "hangs",
    "dripsHeaders",
    "dripsBody",
    "answersInterimOnly",
    "hangsInHandshake",
  ];
  const results = await Promise.all(stages.map((kind) => attemptAt(kind, 15_000)));
  expect(results.map(({ errorClass, error }) => [errorClass, error])).toEqual([
    ["Timeout", "no complete answer within 15 s"],
    ["Timeout", "no complete answer within 15 s"],
    ["Status", "no complete answer within 15 s"],
    ["Timeout", "no complete answer within 15 s"],
    ["Timeout", "no complete answer within 15 s"],
  ]);
  for (const { durationMs } of results) {
    expect(durationMs).toBeGreaterThanOrEqual(14_990);
    expect(durationMs).toBeLessThan(25_000);
  }
});
