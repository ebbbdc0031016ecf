import type { Subscription } from "@nats-io/transport-node";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { type Caller, replyBatchSchema } from "../../../contracts/message.ts";
import { CreateOrder } from "../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { until } from "../../../test/stack/until.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { IdempotentReplay, MustTravelAlone, type RequestContext } from "../handlers/decorators.ts";
import { createLogger } from "../observability/logger.ts";
import { Metrics } from "../observability/metrics.ts";
import { RpcClient } from "./client.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import { RpcServer } from "./server.ts";

// The subjects of a create, with a body and a reply that these cases can read.
const Echo = {
  ...CreateOrder,
  data: z.object({ name: z.string() }),
  reply: z.object({ name: z.string() }),
};
const { batchSubject, ...EchoAlone } = Echo;

const messaging = await forThisFile(startMessaging());
const owner = await messaging.connectAs("orders");
const client = await messaging.connectAs("gateway");
const listener = await messaging.connectAs("orders");

interface Handled {
  readonly name: string;
  readonly context: RequestContext;
}
let handled: Handled[] = [];
let answer: (request: Handled) => Promise<unknown> = ({ name }) => Promise.resolve({ name });
let server: RpcServer;
let rpc: RpcClient;
/** The number of requests in each batch that reached the owner. */
let sizes: number[] = [];
let listening: Subscription;

/** What the owner logged. */
let lines: Record<string, unknown>[] = [];

function serve(type: typeof Echo | typeof EchoAlone): RpcServer {
  return new RpcServer(
    {
      service: "orders",
      nats: owner,
      metrics: new Metrics("orders"),
      log: createLogger("orders", "debug", { write: (line: string) => void lines.push(JSON.parse(line)) }),
      underWay: new ConcurrencyLimit(0),
    },
    [
      {
        type,
        call: (data, context) => {
          const request = { name: (data as { name: string }).name, context };
          handled.push(request);
          return answer(request);
        },
      },
    ],
  );
}

beforeEach(async () => {
  handled = [];
  lines = [];
  sizes = [];
  answer = ({ name }) => Promise.resolve({ name });
  server = serve(Echo);
  listening = listener.subscribe(batchSubject as string, {
    callback: (_error, message) => void sizes.push(message.json<{ requests: unknown[] }>().requests.length),
  });
  await Promise.all([owner.flush(), listener.flush()]);
  rpc = new RpcClient(client);
});
afterEach(async () => {
  await server.stop();
  if (!listening.isClosed()) listening.unsubscribe();
});

const callerOf = (principal: string): Caller => {
  const tenant = newId("ten");
  return { book: bookIdOf(tenant, "Test"), tenant, mode: "Test", principal, requestId: newId("req") };
};
const send = (name: string, more: object = {}, options: { deadlineMs?: number } = {}) =>
  rpc.request(Echo, { caller: callerOf(name), ...more }, { name }, options);
const names = (count: number) => Array.from({ length: count }, (_, index) => `n${String(index)}`);
/** What each request came to: the name that it got back, or the code of its refusal. */
const outcomes = (requests: Promise<{ value: { name: string } }>[]) =>
  Promise.all(
    requests.map((request) =>
      request.then(
        ({ value }) => value.name,
        (error: unknown) => (error instanceof Refusal ? error.code : Promise.reject(error as Error)),
      ),
    ),
  );

describe("requests that are sent at once", () => {
  it("travel together, at most 64 in a message, and each gets its own reply", async () => {
    const sent = names(134);
    expect(await outcomes(sent.map((name) => send(name)))).toEqual(sent);
    await listener.flush();
    expect(sizes).toEqual([64, 64, 6]);
  });

  it("are answered in larger messages, too, which a later release may send", async () => {
    const caller = callerOf("ada");
    const requests = names(500).map((name) => ({ caller, data: { name } }));
    const message = await client.request(batchSubject as string, JSON.stringify({ requests }), {
      timeout: 10_000,
    });
    expect(replyBatchSchema.parse(message.json()).replies).toHaveLength(500);
  });

  it("keep their caller, Idempotency-Key, deadline and trace", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const before = Date.now();
    await Promise.all([
      send("ada", { idempotency: { key: "a", fingerprint: "f" } }),
      send("bob", { traceparent: `00-${trace}-00f067aa0ba902b7-01` }, { deadlineMs: 60_000 }),
    ]);
    const [ada, bob] = handled.map(({ context }) => context);
    expect(ada).toMatchObject({ caller: { principal: "ada" }, idempotency: { key: "a", fingerprint: "f" } });
    expect(bob).toMatchObject({ caller: { principal: "bob" } });
    expect(bob?.idempotency).toBeUndefined();
    expect(ada?.correlationid).toBe(ada?.caller.requestId);
    expect(bob?.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    expect(ada?.deadline).toBeLessThan(before + 60_000);
    expect(bob?.deadline).toBeGreaterThanOrEqual(before + 60_000);
  });

  it("fail alone: a refusal, a malformed body or an unexpected error is the answer of one", async () => {
    answer = ({ name }) => {
      if (name === "n1") return Promise.reject(new Refusal("insufficient_funds", "not enough"));
      if (name === "n2") return Promise.reject(new Error("unexpected"));
      return Promise.resolve(name === "n3" ? new IdempotentReplay({ name }) : { name });
    };
    const requests = names(5).map((name) =>
      rpc.request(Echo, { caller: callerOf(name) }, { name: name === "n4" ? (4 as never) : name }),
    );
    expect(await outcomes(requests)).toEqual([
      "n0",
      "insufficient_funds",
      "internal_error",
      "n3",
      "internal_error",
    ]);
    await expect(requests[3]).resolves.toMatchObject({ replayed: true });
    expect(sizes).toEqual([5]);
  });

  it("are logged in one line, with a line each at level debug", async () => {
    answer = ({ name }) =>
      name === "n1"
        ? Promise.reject(new Refusal("insufficient_funds", "not enough"))
        : Promise.resolve({ name });
    await outcomes(names(3).map((name) => send(name)));
    const of = (level: string) => lines.filter((line) => line["level"] === level);
    expect(of("info")).toMatchObject([
      { msg: "requests", requests: 3, outcomes: { answered: 2, insufficient_funds: 1 } },
    ]);
    expect(
      of("debug")
        .map(({ msg, outcome }) => `${String(msg)} ${String(outcome)}`)
        .sort(),
    ).toEqual(["request answered", "request answered", "request insufficient_funds"]);
  });

  it("do not wait for one that must wait for another service: it is sent again alone", async () => {
    const { promise: lookup, resolve: found } = Promise.withResolvers<undefined>();
    answer = async ({ name, context }) => {
      if (name !== "n1") return { name };
      if (context.isBatched === true) throw new MustTravelAlone();
      await lookup;
      return { name };
    };
    const [first, slow, last] = [send("n0"), send("n1"), send("n2")];
    expect(await outcomes([first, last])).toEqual(["n0", "n2"]);
    found(undefined);
    expect(await outcomes([slow])).toEqual(["n1"]);
    expect(handled.filter(({ name }) => name === "n1").map(({ context }) => context.isBatched)).toEqual([
      true,
      undefined,
    ]);
  });

  it("are not sent again alone when the caller has stopped waiting: the reply came too late", async () => {
    answer = async ({ name, context }) => {
      if (name !== "n0") return { name };
      await until("its deadline", () => Date.now() > (context.deadline ?? Infinity));
      throw new MustTravelAlone();
    };
    // On a slow machine a short deadline passes before the request arrives.
    for (let deadlineMs = 200; !handled.some(({ name }) => name === "n0"); deadlineMs *= 2) {
      handled = [];
      const [late, other] = [send("n0", {}, { deadlineMs }), send("n1", {}, { deadlineMs: 60_000 })];
      expect(await outcomes([late, other])).toEqual(["upstream_timeout", "n1"]);
    }
    expect(handled.map(({ name }) => name).sort()).toEqual(["n0", "n1"]);
  });

  it("travel alone where one is larger than a batch may be", async () => {
    const large = "x".repeat(300 * 1024);
    expect(await outcomes([send("n0"), send(large), send("n1")])).toEqual(["n0", large, "n1"]);
    await listener.flush();
    expect(sizes).toEqual([]);
  });

  it("travel alone to instances that read no batches", async () => {
    await Promise.all([server.stop(), listening.drain()]);
    server = serve(EchoAlone);
    await owner.flush();
    const sent = names(3);
    expect(await outcomes(sent.map((name) => send(name)))).toEqual(sent);
    expect(handled.every(({ context }) => context.isBatched === undefined)).toBe(true);
  });

  it("are all refused when nobody answers in time", async () => {
    const { promise, resolve } = Promise.withResolvers<object>();
    answer = () => promise;
    const requests = names(3).map((name) => send(name, {}, { deadlineMs: 100 }));
    expect(await outcomes(requests)).toEqual(Array(3).fill("upstream_timeout"));
    resolve({ name: "late" });
  });

  it("wait no longer than their own callers", async () => {
    const { promise, resolve } = Promise.withResolvers<object>();
    answer = () => promise;
    const patient = send("n0", {}, { deadlineMs: 20_000 });
    expect(await outcomes([send("n1", {}, { deadlineMs: 100 })])).toEqual(["upstream_timeout"]);
    resolve({ name: "n0" });
    expect(await outcomes([patient])).toEqual(["n0"]);
  });

  it("are all refused at once when no instance is connected", async () => {
    await Promise.all([server.stop(), listening.drain()]);
    expect(await outcomes(names(2).map((name) => send(name)))).toEqual(Array(2).fill("service_unavailable"));
  });
});

it("a lone request leaves at once, in a message of its own", async () => {
  expect(await outcomes([send("n0")])).toEqual(["n0"]);
  await listener.flush();
  expect(sizes).toEqual([]);
  expect(handled.map(({ context }) => context.isBatched)).toEqual([undefined]);
  expect(lines).toMatchObject([{ level: "info", msg: "request", outcome: "answered" }]);
});

describe("with a clock that only the test moves", () => {
  // A request that waits for its batch is not answered until the test moves the clock.
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
  afterEach(() => vi.useRealTimers());

  it("requests that follow one another are answered without waiting", async () => {
    for (const name of names(10)) expect(await outcomes([send(name)])).toEqual([name]);
  });

  it("requests that come while one is under way wait, and then travel together", async () => {
    const { promise: answered, resolve } = Promise.withResolvers<undefined>();
    answer = async ({ name }) => {
      if (name === "n0") await answered;
      return { name };
    };
    const first = send("n0");
    const later: Promise<{ value: { name: string } }>[] = [];
    for (const name of names(4).slice(1)) {
      await new Promise(setImmediate);
      later.push(send(name));
    }
    await new Promise(setImmediate);
    vi.advanceTimersByTime(60);
    expect(await outcomes(later)).toEqual(["n1", "n2", "n3"]);
    resolve(undefined);
    expect(await outcomes([first])).toEqual(["n0"]);
    await listener.flush();
    expect(sizes).toEqual([3]);
  });
});
