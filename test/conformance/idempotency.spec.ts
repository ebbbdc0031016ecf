/** Idempotency of every operation of the document that changes something. */
import { describe, expect, it } from "vitest";
import { scopes } from "../../contracts/http/scopes.ts";
import { type BookId, uuidOf } from "../../contracts/ids/ids.ts";
import { forThisFile } from "../stack/for-this-file.ts";
import { until } from "../stack/until.ts";
import { isTransient } from "../world/patience/transient.ts";
import { repeated } from "../world/patience/patiently.ts";
import { issueAnotherKey } from "../world/system/operator.ts";
import { operationsOf, readDocument } from "./document.ts";
import { Scenario } from "./refusals/scenario.ts";
import type { Make, Write } from "./writes/write.ts";
import { writes } from "./writes/writes.ts";

/** Operations that change nothing, so that a repeat has no effect. */
const changeNothing = ["previewPaymentOrder", "previewApprovalPolicy", "diagnoseWebhook"];
/** A key has no session: services/api-gateway/people/people.db.spec.ts ends one. */
const bySessionOnly = ["endSession"];
/** A replay here is Done before anybody can cancel it: services/webhooks/replay/replay.db.spec.ts cancels one. */
const cannotHappenHere = ["cancelWebhookReplay", ...bySessionOnly];
/** Secrets, which only the first answer shows: a repeat gets their prefix and last four characters, or null. */
const shownOnce: Readonly<Record<string, readonly string[]>> = {
  createApiKey: ["key"],
  rotateApiKey: ["key"],
  createPerson: ["password"],
  createWebhookEndpoint: ["signingSecret"],
  rotateWebhookSecret: ["signingSecret"],
};
/** Operations that accept every valid body: no refusal can free their key. */
const neverRefused = ["putApprovalPolicy", "createTestSink"];
/** Operations by which a person decides: the same request of another principal is another request. */
const decisions = [
  "approvePaymentOrder",
  "denyPaymentOrder",
  "postLedgerTransaction",
  "voidLedgerTransaction",
  "reverseLedgerTransaction",
  "assignInboundPayment",
  "verifyCounterparty",
  "acceptProposedChange",
  "dismissProposedChange",
  "putApprovalPolicy",
  "approvePolicyProposal",
  "denyPolicyProposal",
  "createApiKey",
  "rotateApiKey",
  "revokeApiKey",
  "approveApiKeyProposal",
  "denyApiKeyProposal",
  "createPerson",
  "updatePerson",
  "approveRoleProposal",
  "denyRoleProposal",
];
/** Operations where the second of two requests waits for the first one's commit and gets its answer. */
const waitsForTheFirst = "createPaymentOrder";

/** Second keys of the same principals. */
const rotated = new Map<string, string>();
const scenario = await forThisFile(Scenario.open());
const document = await readDocument(`${scenario.world.baseUrl()}/v1/openapi.json`);
for (const principal of ["maker", "admin", "approver1"]) {
  rotated.set(principal, await issueAnotherKey(scenario.world, { principal, mode: "Test", scopes }));
}
const another = await issueAnotherKey(scenario.world, { principal: "someone else", mode: "Test", scopes });

const writing = () => operationsOf(document).filter(({ method }) => method !== "GET");
const methodOf = (name: string) =>
  writing().find(({ operation }) => operation.operationId === name)?.method ?? "";

interface Answered {
  readonly status: number;
  readonly replayed: boolean;
  readonly location: string | null;
  readonly body: Record<string, unknown>;
}

async function sendOnce(
  name: string,
  { path, body, as = "maker" }: Omit<Write, "other" | "refused">,
  idempotencyKey: string,
  more: { apiKey?: string; text?: string } = {},
): Promise<Answered> {
  const text = more.text ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(`${scenario.world.baseUrl()}${path}`, {
    method: methodOf(name),
    headers: {
      "x-api-key": more.apiKey ?? scenario.world.tenant.keys[as],
      "idempotency-key": idempotencyKey,
      ...(text === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(text === undefined ? {} : { body: text }),
  });
  return {
    status: response.status,
    replayed: response.headers.get("idempotent-replayed") === "true",
    location: response.headers.get("location"),
    body: response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>),
  };
}

/** Like `sendOnce`, repeated while the answer is a transient refusal. */
const send = (...request: Parameters<typeof sendOnce>) => repeated(() => sendOnce(...request));

/**
 * Prepares the operation, and sends it for the first time after `before`. After a transient refusal, it is not known
 * whether the request was carried out: then another one is prepared, for another key.
 */
function begin(
  name: string,
  prepare: Make,
  how: string,
  before: (write: Write, key: string) => Promise<void> = () => Promise.resolve(),
): Promise<{ write: Write; key: string; first: Answered }> {
  let tries = 0;
  return until(`the answer to ${name}`, async () => {
    const write = await prepare(scenario);
    const key = `${how} ${name} ${String((tries += 1))}`;
    await before(write, key);
    const first = await sendOnce(name, write, key);
    return isTransient(first.body) ? undefined : { write, key, first };
  });
}

/** Sends a request whose key another session holds, until its service has come to wait for that key. */
const sendHeld = (...request: Parameters<typeof sendOnce>) =>
  until("an answer about the key", async () => {
    const answer = await sendOnce(...request);
    return answer.status === 503 || answer.status === 504 ? undefined : answer;
  });

/** The same value in other bytes: members in reverse order, with white space. */
function otherwiseWritten(body: unknown): string {
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, member]) => [name, turned(member)]),
    );
  };
  return JSON.stringify(turned(body), undefined, 3);
}

const without = (body: object, names: readonly string[] = []) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

it("covers every operation that changes something", () => {
  const names = writing().map(({ operation }) => operation.operationId);
  expect(names.toSorted()).toEqual(
    [...Object.keys(writes), ...changeNothing, ...cannotHappenHere].toSorted(),
  );
  const keyed = writing().filter(({ operation }) =>
    operation.parameters?.some((each) => each.name === "Idempotency-Key"),
  );
  expect(keyed.map(({ operation }) => operation.operationId).toSorted()).toEqual(
    [...Object.keys(writes), ...cannotHappenHere].toSorted(),
  );
});

describe.each(Object.entries(writes))("%s", (name, prepare) => {
  it("runs once for one Idempotency-Key, with any API key of the book and any formatting of the body", async () => {
    const { write, key, first } = await begin(name, prepare, "once");
    expect(first.status, JSON.stringify(first.body)).toBeLessThan(300);
    expect(first.replayed).toBe(false);
    const again = [
      await send(name, write, key),
      await send(name, write, key, { apiKey: rotated.get(write.as ?? "maker") ?? "" }),
      ...(write.body === undefined
        ? []
        : [await send(name, write, key, { text: otherwiseWritten(write.body) })]),
    ];
    const once = shownOnce[name];
    for (const { status, replayed, location, body } of again) {
      expect({ status, replayed, location, body: without(body, once) }).toEqual({
        ...first,
        replayed: true,
        body: without(first.body, once),
      });
      // No part of a password is stored, so a repeat shows null.
      for (const member of (once ?? []).filter((each) => body[each] !== null)) {
        expect(body[member]).toMatch(/^(?:qt_test|whsec)_….{4}$/);
        expect(String(first.body[member]).endsWith(String(body[member]).slice(-4))).toBe(true);
      }
    }
  });

  it(`counts for ${decisions.includes(name) ? "one principal" : "every principal of the book"}`, async () => {
    const { write, key, first } = await begin(name, prepare, "shared");
    expect(first.status).toBeLessThan(300);
    const { status, replayed } = await send(name, write, key, { apiKey: another });
    expect({ status, replayed }).toEqual(
      decisions.includes(name) ? { status: 409, replayed: false } : { status: first.status, replayed: true },
    );
  });

  it("is refused under another request's Idempotency-Key before any other check, and names its resource", async () => {
    const { write, key, first } = await begin(name, prepare, "reused");
    expect(first.status).toBeLessThan(300);
    const other = await send(name, { ...write, ...write.other }, key);
    expect(other).toMatchObject({
      status: 409,
      replayed: false,
      body: { code: "idempotency_key_reused", retryable: false },
    });
    // A simulated inbound payment is identified by the bank's reference.
    expect(other.body["resourceId"]).toEqual(
      expect.stringMatching(/^(?:[a-z]+_[0-9a-z]{26}|approval-policy|[0-9A-F]{32})$/),
    );
  });

  it("frees its Idempotency-Key when it is refused", async () => {
    const { first: corrected } = await begin(name, prepare, "freed", async (write, key) => {
      const isRefusable = write.refused.path !== undefined || write.refused.body !== undefined;
      expect(isRefusable).toBe(!neverRefused.includes(name));
      if (!isRefusable) return;
      expect((await send(name, { ...write, ...write.refused }, key)).status).toBeGreaterThanOrEqual(400);
    });
    expect(corrected.status, JSON.stringify(corrected.body)).toBeLessThan(300);
    expect(corrected.replayed).toBe(false);
  });
});

it("counts per resource, the first part of the path, whichever service stores it", async () => {
  const client = await scenario.world.admin.connect();
  const stored = await client.query<{ key: string; resource: string }>(
    ["gateway", "orders", "ledger", "rails", "webhooks"]
      .map((service) => `select key, resource from ${service}.idempotency where key like 'once %'`)
      .join(" union all "),
  );
  client.release();
  const resourceOf = new Map(stored.rows.map(({ key, resource }) => [key.split(" ")[1], resource]));
  const keyed = writing().filter(({ operation }) => Object.hasOwn(writes, operation.operationId));
  expect(keyed.map(({ operation: { operationId: id } }) => [id, resourceOf.get(id)])).toEqual(
    keyed.map(({ template, operation }) => [operation.operationId, template.split("/")[2]]),
  );
});

describe("an Idempotency-Key whose first request is still running", () => {
  it("answers 409 with Retry-After in every service", async () => {
    // The tests above leave a clock that stands, and what waits for a rail would go on waiting.
    await until("the clock goes on", async () => {
      const body = { mode: "Instant" };
      return (await scenario.send("/v1/simulations/clock", { method: "PUT", body }))["code"] === undefined;
    });
    const { advanceClock, [waitsForTheFirst]: _first, ...others } = writes;
    const prepareOne = async (name: string, make: Make) => ({
      name,
      write: await make(scenario),
      key: `held ${name}`,
    });
    const prepared: Awaited<ReturnType<typeof prepareOne>>[] = [];
    for (const [name, make] of Object.entries(others)) prepared.push(await prepareOne(name, make));
    // Last, because it makes the clock stand.
    prepared.push(await prepareOne("advanceClock", advanceClock!));
    const book = uuidOf(scenario.world.tenant.tenant.testBook as BookId);
    const client = await scenario.world.admin.connect();
    const held: Answered[] = [];
    try {
      for (const { key } of prepared)
        await client.query("select pg_advisory_lock(hashtextextended($1, 0))", [`${book}/${key}`]);
      // A service takes three requests of a book at a time, and each of these waits two seconds for its key.
      for (let at = 0; at < prepared.length; at += 3)
        held.push(
          ...(await Promise.all(
            prepared.slice(at, at + 3).map(({ name, write, key }) => sendHeld(name, write, key)),
          )),
        );
    } finally {
      client.release(true);
    }
    expect(
      held.map(({ status, body }, at) => [prepared[at]?.name, status, body["code"], body["retryable"]]),
    ).toEqual(prepared.map(({ name }) => [name, 409, "idempotency_in_progress", true]));
  });
});
