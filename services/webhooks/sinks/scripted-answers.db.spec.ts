import { connect, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { SinksInstance } from "../../../test/stack/services/sinks.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import { TestClock, requestContext } from "../../../test/stack/services/webhooks.ts";
import {
  testSinkCreate,
  type TestSink,
  type TestSinkAnswer,
} from "../../../contracts/http/webhooks/test-sinks.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";

// V8 offers it to contexts that are made after this.
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const clock = new TestClock();
let tester: RequestContext;
const units = await forThisFile(openFreshUnits("webhooks"));
const sinks = await forThisFile(SinksInstance.start(units, clock));
beforeEach(() => {
  tester = requestContext();
});

const sinkWith = (...respond: (number | TestSinkAnswer)[]) => sinks.create(tester, { respond });

const post = ({ url }: TestSink) => fetch(url, { method: "POST", body: "{}", redirect: "manual" });

/** How a request that the sink cuts off ends: the code of the socket's error. */
async function codeOfFailure(posted: Promise<Response>): Promise<unknown> {
  try {
    await (await posted).text();
    return "answered";
  } catch (error) {
    return ((error as Error).cause as { code?: string }).code;
  }
}

/** Lets time pass in steps until the condition holds. */
const after = <T>(stepMs: number, what: string, condition: () => T | undefined) =>
  until(what, () => {
    clock.advance(stepMs);
    return condition();
  });

/** What buffers occupy that something still refers to. */
function bytesInUse(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** A request on a socket of the test's own. */
function openRequest(
  { url }: TestSink,
  body: Uint8Array | string = "{}",
): { socket: Socket; received: () => string } {
  const { port, pathname } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  socket.on("error", () => undefined);
  socket.write(`POST ${pathname} HTTP/1.1\r\nhost: sink\r\ncontent-length: ${String(body.length)}\r\n\r\n`);
  socket.write(body);
  return { socket, received: () => text };
}

describe("an answer of a script", () => {
  it("has the status, the headers and a body of the size that it says", async () => {
    const answer = await post(
      await sinkWith({ status: 503, headers: { "Retry-After": "120" }, bodyBytes: 200_000 }),
    );
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "120"]);
    expect((await answer.arrayBuffer()).byteLength).toBe(200_000);
  });

  it("says how many requests came, if it has no size", async () => {
    const sink = await sinkWith(201);
    await post(sink);
    const answer = await post(sink);
    expect([answer.status, await answer.json()]).toEqual([201, { received: 2 }]);
  });

  it("redirects with 302, or the status that it says", async () => {
    const redirectTo = "https://elsewhere.example/hooks";
    const sink = await sinkWith({ redirectTo }, { status: 308, redirectTo });
    const answers = [await post(sink), await post(sink)];
    expect(answers.map(({ status, headers }) => [status, headers.get("location")])).toEqual([
      [302, redirectTo],
      [308, redirectTo],
    ]);
  });

  it("resets the connection", async () => {
    const sink = await sinkWith({ fault: "Reset" });
    expect(await codeOfFailure(post(sink))).toBe("ECONNRESET");
    const { data } = await sinks.requests(tester, sink.id);
    expect(data[0]).toMatchObject({ respondedStatus: 0, answer: { fault: "Reset" } });
  });

  it("hangs for 60 seconds, then cuts the connection off", async () => {
    const posted = codeOfFailure(post(await sinkWith({ fault: "Hang" })));
    await until("it hangs", () => (sinks.answers.held === 1 ? true : undefined));
    clock.advance(59_000);
    expect(sinks.answers.held).toBe(1);
    clock.advance(1_000);
    expect(await posted).toBe("ECONNRESET");
    expect(sinks.answers.held).toBe(0);
  });

  it("drips a byte a second after its head", async () => {
    const { socket, received } = openRequest(await sinkWith({ status: 500, bodyBytes: 3, fault: "Drip" }));
    const body = () => received().split("\r\n\r\n")[1];
    await until("the head", () => (body() === "" ? true : undefined));
    await after(1_000, "the first byte", () => (body() === "x" ? true : undefined));
    await after(1_000, "all bytes", () => (body() === "xxx" ? true : undefined));
    socket.destroy();
    expect(received()).toContain("HTTP/1.1 500");
    expect(sinks.answers.held).toBe(0);
  });

  it("holds no body of its request while it waits", async () => {
    const sink = await sinkWith({ fault: "Hang" });
    const body = Buffer.alloc(512 * 1024);
    const before = bytesInUse();
    const sockets = Array.from({ length: 40 }, () => openRequest(sink, body).socket);
    await until("all hang", () => (sinks.answers.held === 40 ? true : undefined));
    await until("their 20 MiB are given back", () => bytesInUse() - before < 2 * 1024 * 1024);
    expect(sinks.answers.held).toBe(40);
    for (const socket of sockets) socket.destroy();
    await until("they are forgotten", () => (sinks.answers.held === 0 ? true : undefined));
  });

  it("that drips more than 60 bytes is cut off after 60", async () => {
    const { socket, received } = openRequest(await sinkWith({ bodyBytes: 1_000, fault: "Drip" }));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await after(1_000, "the end", () => (socket.destroyed ? true : undefined));
    await closed;
    expect(received().split("\r\n\r\n")[1]).toMatch(/^x{1,60}$/);
  });

  it("is forgotten when its sender hangs up", async () => {
    const { socket } = openRequest(await sinkWith({ fault: "Hang" }));
    await until("it hangs", () => (sinks.answers.held === 1 ? true : undefined));
    socket.destroy();
    expect(await until("it is forgotten", () => (sinks.answers.held === 0 ? true : undefined))).toBe(true);
  });

  it("waits as long as it says itself, or else as long as the sink says", async () => {
    const sink = await sinks.create(tester, { respond: [{ delayMs: 0 }, 200], delayMs: 1_000 });
    expect((await post(sink)).status).toBe(200);
    const posted = post(sink);
    await until("it waits", () => (sinks.answers.held === 1 ? true : undefined));
    clock.advance(1_000);
    expect((await posted).status).toBe(200);
    const { data } = await sinks.requests(tester, sink.id);
    expect(data.map(({ answer }) => answer)).toEqual([{ status: 200, delayMs: 1_000 }, { delayMs: 0 }]);
  });
});

describe("a script", () => {
  it.each<[what: string, respond: unknown]>([
    ["a status below 200", [199]],
    ["a status above 599", [{ status: 600 }]],
    ["an unknown member", [{ status: 200, delay: 5 }]],
    ["an unknown fault", [{ fault: "Explode" }]],
    ["a body above 10 MiB", [{ bodyBytes: 10 * 1024 * 1024 + 1 }]],
    ["a delay above 30 seconds", [{ delayMs: 30_001 }]],
    ["a header of the connection", [{ headers: { "Content-Length": "3" } }]],
    [
      "a header that empties what browsers keep for the host",
      [{ headers: { "Clear-Site-Data": '"cookies"' } }],
    ],
    ["a header with a line break", [{ headers: { "x-note": "a\r\nb: c" } }]],
    ["a status and no answer", [{ status: 500, fault: "Hang" }]],
    ["a redirect with a status that is none", [{ status: 200, redirectTo: "https://a.example/" }]],
    ["a body with a status that has none", [{ status: 204, bodyBytes: 1 }]],
    ["no answer", []],
    ["more than a hundred answers", Array.from({ length: 101 }, () => 200)],
  ])("with %s is refused", (_what, respond) => {
    expect(testSinkCreate.safeParse({ respond }).success).toBe(false);
  });
});
