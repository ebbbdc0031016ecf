import { connect } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { ledgerAccountExamples } from "../../../contracts/http/examples/ledger-accounts.ts";
import { GetSimulationDigest } from "../../../contracts/messages/digests.ts";
import { GetStatement } from "../../../contracts/messages/ledger.ts";
import { GetOrder, ListOrders } from "../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { anOrder } from "../../../test/stack/orders/an-order.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { patienceMs, until } from "../../../test/stack/until.ts";
import { mintKey } from "./api-key.ts";

const gateway = await forThisFile(
  startGateway({
    RATE_LIMIT_PER_SECOND: "20",
    RATE_LIMIT_BURST: "20",
    FAILED_KEYS_PER_MINUTE: "2",
    TRUSTED_PROXIES: "127.0.0.1",
  }),
);
const { key } = await gateway.issue();
await gateway.owner(GetOrder, ({ data }) => anOrder({ id: data.id }));
await gateway.owner(GetSimulationDigest, () => {
  const none = "0".repeat(64);
  return { digest: none, orders: none, entries: none, orderCount: 0, entryCount: 0 };
});
await gateway.owner(ListOrders, () => ({ data: [], nextCursor: null, hasMore: false }));

const one = "/v1/payment-orders/po_01jd3k5s8ye9v8z2r0q3m7n4xa";
const list = "/v1/payment-orders";
const digest = "/v1/simulations/digest";
const get = (path: string, as = key, from = "192.0.2.1") =>
  gateway.call("GET", path, { key: as, headers: { "x-forwarded-for": from } });
/** Runs this at the start of a second's limit. Repeats it while it fails: a pause may carry it into the next second. */
const inAFreshSecond = (run: () => Promise<void>) =>
  vi.waitFor(
    async () => {
      expect((await get(one)).headers.get("ratelimit")).toContain("r=19");
      await run();
    },
    { timeout: patienceMs },
  );

describe("a book's requests", () => {
  it("show what is left of the limit; a list costs five", async () => {
    await inAFreshSecond(async () => {
      const answer = await get(list);
      expect(answer.headers.get("ratelimit-policy")).toBe('"default";q=20;w=1, "burst";q=0;w=10');
      expect(answer.headers.get("ratelimit")).toBe('"default";r=14;t=1');
    });
  });

  it("spend a whole second's limit where they cost more, as a digest of the book does", async () => {
    const ofDigest = await vi.waitFor(
      async () => {
        const answer = await get(digest);
        expect(answer.status).toBe(200);
        return answer;
      },
      { timeout: patienceMs },
    );
    expect(ofDigest.headers.get("ratelimit")).toContain("r=0");
  });

  it("cost one more for each 2 KiB of their body, also where it does not say how long it is", async () => {
    await inAFreshSecond(async () => {
      const { headers } = await gateway.call("POST", list, { key, body: { description: "x".repeat(7_000) } });
      expect(headers.get("ratelimit")).toContain("r=15");
    });
    await inAFreshSecond(async () => {
      const body = new Blob(["{}"]).stream();
      const chunked = await fetch(`${gateway.url}${list}`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        body,
        duplex: "half",
      });
      expect(chunked.headers.get("ratelimit")).toContain("r=13");
    });
  });

  it("are refused above the limit, whichever key sends them, with the time to wait", async () => {
    const { key: another } = await gateway.issue({ principal: "another" });
    const live = await gateway.issue({ mode: "Live" });
    await inAFreshSecond(async () => {
      const answers = await Promise.all([1, 2, 3, 4].map(() => get(list)));
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 429]);
      const refused = await get(list, another);
      expect(refused.body).toMatchObject({
        status: 429,
        code: "rate_limited",
        retryable: true,
        retryAfterSeconds: 1,
      });
      expect(refused.headers.get("retry-after")).toBe("1");
      expect(refused.headers.get("ratelimit")).toBe('"default";r=0;t=1');
      expect((await get(one, live.key)).status).toBe(200);
    });
  });

  it("get no rate limit headers without a key", async () => {
    expect((await gateway.call("GET", "/v1/openapi.json")).headers.get("ratelimit")).toBeNull();
  });
});

describe("invalid keys", () => {
  it("are limited by address, and a valid key still works", async () => {
    const from = "198.51.100.7";
    const codes = [];
    for (const wrong of [mintKey("Test"), "nonsense", mintKey("Test"), "nonsense"]) {
      codes.push((await get(one, wrong, from)).body.code);
    }
    expect(codes).toEqual(["api_key_invalid", "api_key_invalid", "rate_limited", "rate_limited"]);
    const refused = await get(one, mintKey("Test"), from);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(30);
    await inAFreshSecond(() => Promise.resolve());
    expect((await get(one, key, from)).status).toBe(200);
    expect((await get(one, mintKey("Test"), "198.51.100.8")).body.code).toBe("api_key_invalid");
  });
});

describe("a key that is used", () => {
  it("has its time stored shortly afterwards, to the minute", async () => {
    const used = await gateway.issue({ principal: "used", scopes: ["orders:read", "keys:write"] });
    const before = Math.floor(Date.now() / 60_000) * 60_000;
    await inAFreshSecond(async () => expect((await get(one, used.key)).status).toBe(200));
    await vi.waitFor(
      async () => {
        const { body } = await get(`/v1/api-keys/${used.id}`, used.key);
        expect(body.lastUsedAt).toMatch(/:00\.000Z$/);
        expect(Date.parse(String(body.lastUsedAt))).toBeGreaterThanOrEqual(before);
      },
      { timeout: patienceMs, interval: 250 },
    );
  });
});

describe("a book with as many requests under way as it may have", () => {
  it("gets 429 with the time to wait, other books do not, and it may go on when one ends", async () => {
    const crowded = await startGateway({ REQUESTS_UNDER_WAY: "2", RATE_LIMIT_PER_SECOND: "0" });
    try {
      const [mine, other] = [await crowded.issue(), await crowded.issue({ mode: "Live" })];
      let answer: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      let waiting = 0;
      await crowded.owner(GetOrder, async ({ data, caller }) => {
        waiting += 1;
        if (caller.mode === "Test") await held;
        return anOrder({ id: data.id });
      });
      const read = (as: string) => crowded.call("GET", one, { key: as });
      const underWay = [read(mine.key), read(mine.key)];
      await expect.poll(() => waiting).toBe(2);
      const refused = await read(mine.key);
      expect(refused.body).toMatchObject({ status: 429, code: "rate_limited", retryAfterSeconds: 1 });
      expect(refused.headers.get("retry-after")).toBe("1");
      expect((await read(other.key)).status).toBe(200);
      answer();
      expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual([200, 200]);
      await expect.poll(async () => (await read(mine.key)).status).toBe(200);
    } finally {
      await crowded.close();
    }
  });
});

describe("callers that hang up", async () => {
  const crowded = await forThisFile(startGateway({ REQUESTS_UNDER_WAY: "2", RATE_LIMIT_PER_SECOND: "0" }));
  const { hostname, port } = new URL(crowded.url);

  /** Sends a request, and does not wait for its answer. */
  function send(as: string, path = one, headers = ""): { hangUp(): Promise<unknown> } {
    const socket = connect(Number(port), hostname).resume();
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${as}\r\n${headers}\r\n`);
    return {
      // The connection closes when the gateway, too, has closed its side.
      hangUp() {
        socket.end();
        return closed;
      },
    };
  }

  it("while their key is looked up don't count as under way, and their requests are dropped", async () => {
    let asked = 0;
    await crowded.owner(GetOrder, ({ data }) => {
      asked += 1;
      return anOrder({ id: data.id });
    });
    const keys = await Promise.all(
      ["ada", "ben", "cleo", "dan"].map((principal) => crowded.issue({ principal })),
    );
    const [mine, ...theirs] = keys.map(({ key: text }) => text);
    const admin = await connectTo(crowded.adminUrl);
    try {
      await admin.query("begin; lock table gateway.api_key in access exclusive mode");
      const callers = theirs.map((text) => send(text));
      await until("three look-ups that wait", async () => {
        const { rows } = await admin.query(
          `select 1 from pg_locks
           where relation = 'gateway.api_key'::regclass and not granted
             and database = (select oid from pg_database where datname = current_database())`,
        );
        return rows.length === 3;
      });
      await Promise.all(callers.map((caller) => caller.hangUp()));
      await admin.query("commit");
    } finally {
      await admin.end();
    }
    // It waits in the pool behind the three look-ups, or finds them answered.
    expect((await crowded.call("GET", one, { key: mine! })).status).toBe(200);
    expect(asked).toBe(1);
  });

  it("while they read a file have no more of its pages read", async () => {
    const { key: mine } = await crowded.issue({ principal: "eve" });
    let asked = 0;
    const second = Promise.withResolvers<void>();
    const page = { ...ledgerAccountExamples.LedgerAccountStatement, nextCursor: "more", hasMore: true };
    await crowded.owner(GetStatement, async () => {
      asked += 1;
      if (asked === 2) await second.promise;
      return page;
    });
    await crowded.owner(GetOrder, ({ data }) => anOrder({ id: data.id }));
    const path = `/v1/ledger-accounts/${page.ledgerAccountId}/statement?from=2026-03-02&to=2026-03-02`;
    const caller = send(mine, path, "accept: text/csv\r\n");
    await until("the second page", () => Promise.resolve(asked === 2));
    await caller.hangUp();
    second.resolve();
    for (let time = 0; time < 3; time += 1) {
      expect((await crowded.call("GET", one, { key: mine })).status).toBe(200);
    }
    expect(asked).toBe(2);
  });
});

describe("the files that a book reads at once", () => {
  it("are read page by page, one page at a time, and delay no other book's", async () => {
    const reading = await startGateway();
    const answer = Promise.withResolvers<void>();
    try {
      const [test, live] = [await reading.issue(), await reading.issue({ mode: "Live" })];
      const pages: string[] = [];
      const page = ledgerAccountExamples.LedgerAccountStatement;
      await reading.owner(GetStatement, async ({ caller }) => {
        pages.push(caller.mode);
        await answer.promise;
        return page;
      });
      const path = `/v1/ledger-accounts/${page.ledgerAccountId}/statement?from=2026-03-02&to=2026-03-02`;
      const read = async (as: string) =>
        (await reading.call("GET", path, { key: as, headers: { accept: "text/csv" } })).status;
      const files = [read(test.key), read(test.key), read(live.key)];
      await until("a page of each book", () => Promise.resolve(new Set(pages).size === 2));
      expect(pages.toSorted()).toEqual(["Live", "Test"]);
      answer.resolve();
      expect(await Promise.all(files)).toEqual([200, 200, 200]);
    } finally {
      answer.resolve();
      await reading.close();
    }
  });
});

describe("callers whose request can't be read", () => {
  it("don't have it under way for longer than their answer takes, even if they never hang up", async () => {
    const crowded = await startGateway({ REQUESTS_UNDER_WAY: "7", RATE_LIMIT_PER_SECOND: "0" });
    try {
      const { key: mine } = await crowded.issue();
      await crowded.owner(GetOrder, ({ data }) => anOrder({ id: data.id }));
      const { hostname, port } = new URL(crowded.url);
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
      let answer = "";
      socket.setEncoding("utf8").on("data", (part: string) => (answer += part));
      socket.write(
        `POST ${list} HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${mine}\r\n` +
          "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n",
      );
      const preferring = async (prefer: string) =>
        (await crowded.call("GET", one, { key: mine, headers: { prefer } })).status;
      // It costs two, and beside the body of unknown length, which costs six, one is left.
      const wait = () => preferring("wait=1");
      await expect.poll(wait).toBe(429);
      expect(await preferring("return=minimal")).toBe(200);
      socket.write("no length\r\n");
      await expect.poll(wait).toBe(200);
      expect(answer).toContain("Send a well-formed HTTP/1.1 request");
      expect(socket.closed).toBe(false);
      socket.destroy();
    } finally {
      await crowded.close();
    }
  });
});
