import { describe, expect, it } from "vitest";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import type { LedgerAccount } from "../../../contracts/http/ledger/ledger-accounts.ts";
import type { Answer } from "../../../scripts/local/demo/api.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import type { OrderOrProblem } from "../../world/actions.ts";
import { issueAnotherKey, seedOtherTenant } from "../../world/system/operator.ts";
import { usd } from "../../world/usd.ts";
import { wait, waitsFor } from "../../world/patience/waits.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());
const payer = await world.payerWith(usd("1000.00"));

const bodyOf = (amountCents: number) => payer.body(amountCents);

/** Creates an order under an Idempotency-Key, as the maker or with another API key. */
function create(
  idempotencyKey: string,
  body: object,
  apiKey = world.tenant.keys.maker,
): Promise<Answer<OrderOrProblem>> {
  return world.send(apiKey, "POST", "/v1/payment-orders", {
    body,
    headers: { "idempotency-key": idempotencyKey },
  });
}

const isReplay = ({ headers }: Answer) => headers.get("idempotent-replayed") === "true";

describe("the same key with the same body", () => {
  it("creates one order from fifty requests at once, and replays it to the other forty-nine", async () => {
    const before = await payer.balance();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => create("fifty-at-once", bodyOf(usd("7.00")))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const [id] = new Set(answers.map(({ body }) => body.id));
    expect(answers.map(({ body }) => body.id)).toEqual(Array.from({ length: 50 }, () => id));
    expect(answers.filter(isReplay)).toHaveLength(49);

    await world.comesToRest(id ?? "");
    expect((await payer.balance()).posted).toBe(before.posted - usd("7.00"));
  });

  it("answers a repeat with the first answer, whatever the order has become", async () => {
    const first = await create("answer-kept", bodyOf(usd("8.00")));
    await world.comesToRest(first.body.id);
    const again = await create("answer-kept", bodyOf(usd("8.00")));
    expect(again.status).toBe(201);
    expect(isReplay(first)).toBe(false);
    expect(isReplay(again)).toBe(true);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("location")).toBe(`/v1/payment-orders/${first.body.id}`);
  });

  it("accepts the same body with its members in another order", async () => {
    const first = await create("members-shuffled", bodyOf(usd("9.00")));
    const shuffled = Object.fromEntries(Object.entries(bodyOf(usd("9.00"))).reverse());
    const again = await create("members-shuffled", shuffled);
    expect(again.body.id).toBe(first.body.id);
    expect(isReplay(again)).toBe(true);
  });

  it("replays for another API key of the same book, so that rotating keys doubles no payment", async () => {
    const first = await create("across-keys", bodyOf(usd("10.00")));
    const rotated = await issueAnotherKey(world, {
      principal: "maker",
      mode: "Test",
      scopes: ["orders:write"],
    });
    const again = await create("across-keys", bodyOf(usd("10.00")), rotated);
    expect(again.body.id).toBe(first.body.id);
    expect(isReplay(again)).toBe(true);
  });

  it("submits, approves and cancels once too", async () => {
    const draft = (await create("acted-on", { ...bodyOf(usd("11.00")), rail: "Wire", submit: false })).body;
    const path = `/v1/payment-orders/${draft.id}`;
    const act = (action: string, key: string) =>
      world.post<OrderOrProblem>(
        `${path}/${action}`,
        {},
        { as: action === "approve" ? "approver1" : "maker", headers: { "idempotency-key": key } },
      );
    for (const action of ["submit", "approve", "cancel"]) {
      const first = await act(action, `${action}-once`);
      const again = await act(action, `${action}-once`);
      expect([first.status, again.status]).toEqual([200, 200]);
      expect([isReplay(first), isReplay(again)]).toEqual([false, true]);
      expect(again.body).toEqual(first.body);
    }
    expect((await world.comesToRest(draft.id)).status).toBe("Cancelled");
  });

  it("creates one ledger account, and one webhook endpoint whose secret is shown once", async () => {
    const headers = { "idempotency-key": "made-once" };
    const account = { name: "Made once" };
    const accounts = [
      await world.post<LedgerAccount>("/v1/ledger-accounts", account, { headers }),
      await world.post<LedgerAccount>("/v1/ledger-accounts", account, { headers }),
    ];
    expect(accounts.map(({ status }) => status)).toEqual([201, 201]);
    expect(accounts[1]?.body).toEqual(accounts[0]?.body);

    const endpoint = { url: world.receiver.url, eventTypes: ["test.event"] };
    const endpoints = [
      await world.post<{ id: string; signingSecret: string }>("/v1/webhook-endpoints", endpoint, { headers }),
      await world.post<{ id: string; signingSecret: string }>("/v1/webhook-endpoints", endpoint, { headers }),
    ];
    expect(endpoints.map(({ status }) => status)).toEqual([201, 201]);
    const [first, again] = endpoints.map(({ body }) => body);
    expect(again).toEqual({ ...first, signingSecret: `whsec_…${first?.signingSecret.slice(-4) ?? ""}` });
  });
});

describe.each(["v1", "v2"])("the first answer of /%s", (version) => {
  /** An order's create with this key, as bytes. */
  async function bytesOf(key: string, more: Record<string, string> = {}) {
    const { amountCents, ...rest } = {
      ...bodyOf(usd("6.00")),
      description: "July",
      metadata: { team: "ops" },
    };
    const amount = version === "v1" ? { amountCents } : { amount: { cents: amountCents, currency: "USD" } };
    const response = await fetch(`${world.baseUrl()}/${version}/payment-orders`, {
      method: "POST",
      headers: {
        "x-api-key": world.tenant.keys.maker,
        "content-type": "application/json",
        "idempotency-key": `${version} ${key}`,
        ...more,
      },
      body: JSON.stringify({ ...amount, ...rest }),
    });
    const text = await response.text();
    return {
      text,
      headers: response.headers,
      order: JSON.parse(text) as PaymentOrder,
      replayed: isReplay({ headers: response.headers } as Answer),
    };
  }

  it("comes again byte for byte, after the order was edited and completed", async () => {
    const first = await bytesOf("edited");
    const edit = { description: "August", metadata: { team: "finance", cost: "fuel" } };
    const path = `/v1/payment-orders/${first.order.id}`;
    expect(await world.send(world.tenant.keys.maker, "PATCH", path, { body: edit })).toMatchObject({
      status: 200,
      body: edit,
    });
    await world.comesToRest(first.order.id);
    const again = await bytesOf("edited");
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(again.text).toBe(first.text);
  });

  it("is that of the submission after a wait, and comes without one", async () => {
    let tries = 0;
    const first = await waitsFor("Completed", async () => {
      const answer = await bytesOf(`waited ${String((tries += 1))}`, wait);
      return { ...answer, body: answer.order };
    });
    expect(first.order.status).toBe("Completed");
    const key = `waited ${String(tries)}`;
    const again = await bytesOf(key, wait);
    const { submittedAt, statusHistory } = first.order;
    expect(again.replayed).toBe(true);
    expect(again.order).toEqual({
      ...first.order,
      status: "Submitted",
      cancellable: true,
      ledgerTransactionId: null,
      railReference: null,
      statusHistory: statusHistory.slice(0, 2),
      completedAt: null,
      updatedAt: submittedAt,
    });
    expect((await bytesOf(key)).text).toBe(again.text);
  });
});

describe("the same key with another body", () => {
  it("is a conflict that names the order, and overwrites nothing", async () => {
    const first = await create("reused", bodyOf(usd("12.00")));
    expect(await create("reused", bodyOf(usd("12.01")))).toMatchObject({
      status: 409,
      body: { code: "idempotency_key_reused", resourceId: first.body.id, retryable: false },
    });
    expect((await world.order(first.body.id)).amountCents).toBe(usd("12.00"));
  });

  it("is a conflict for all but one of many bodies at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => create("ten-bodies", bodyOf(100 + index))),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 9 }, () => 409),
    ]);
  });

  it("can be used again after a refusal: nothing was stored", async () => {
    const wrong = { ...bodyOf(usd("13.00")), counterpartyRoutingNumber: "790001006" };
    const refused = await create("freed", wrong);
    expect(refused).toMatchObject({ status: 422, body: { code: "invalid_routing_number" } });
    const corrected = await create("freed", bodyOf(usd("13.00")));
    expect(corrected.status).toBe(201);
    expect(isReplay(corrected)).toBe(false);
  });
});

describe("the same key in another book", () => {
  it("is another key: another tenant's, and the tenant's own Live book", async () => {
    const first = await create("in-three-books", bodyOf(usd("14.00")));
    const neighbour = await seedOtherTenant(world, "Neighbour");
    const inBooks = await Promise.all(
      [neighbour.keys.maker, world.tenant.keys.live].map(async (key) => {
        await world.send(key, "POST", "/v1/ledger-accounts", { body: { name: "Operating" } });
        const { ledgerAccountId: _mine, ...rest } = bodyOf(usd("14.00"));
        return create("in-three-books", { ...rest, ledgerAccountName: "Operating", submit: false }, key);
      }),
    );
    expect(inBooks.map(({ status }) => status)).toEqual([201, 201]);
    expect(inBooks.some(isReplay)).toBe(false);
    expect(new Set([first, ...inBooks].map(({ body }) => body.id)).size).toBe(3);
  });
});
