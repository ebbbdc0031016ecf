/** The system around a fuzz: a tenant to fuzz, another for webhooks, and a stranger whose data must not leak. */
import type { OpenApi, Operation } from "./document.ts";
import type { RandomFaults } from "../faults/inject/random-faults.ts";
import type { SeededTenant } from "../../scripts/local/demo/seed.ts";
import { seedOtherTenant } from "../world/system/operator.ts";
import { counterpartyOn } from "../world/payer.ts";
import { sendPatiently } from "../world/patience/patiently.ts";
import { until } from "../stack/until.ts";
import type { World } from "../world/world.ts";
import { operationsOf } from "./document.ts";
import { goodBody } from "./fuzz/samples.ts";

/** Data of the stranger only. Any of it in another tenant's answer is a leak. */
const mark = "Zanzibar-Secret";

export interface Stranger {
  readonly tenant: SeededTenant;
  /** Ids that the fuzz sends. They must find nothing. */
  readonly baits: readonly string[];
  /** Ids that the fuzz never sends. One in an answer is a leak. */
  readonly hidden: readonly string[];
  /** Texts that must never occur in an answer. */
  readonly marks: readonly string[];
  /** The stranger's lists, as the stranger reads them. */
  state(): Promise<unknown>;
}

/** Creates a tenant with one of every resource, each with a recognizable text. */
export async function aStranger(world: World, document: OpenApi, random: RandomFaults): Promise<Stranger> {
  const tenant = await seedOtherTenant(world, `${mark} Inc`);
  const key = tenant.keys.admin;
  const post = (path: string, body: unknown) => sendPatiently(world, key, "POST", path, { body });
  const account = await post("/v1/ledger-accounts", { name: `${mark} account`, metadata: { mark } });
  const order = {
    direction: "Credit",
    rail: "Rtp",
    amountCents: 4_711,
    ledgerAccountName: `${mark} account`,
    ...counterpartyOn("Rtp"),
    counterpartyName: `${mark} payee`,
    externalId: `${mark} order`,
  };
  const made = [
    account,
    await post("/v1/webhook-endpoints", { url: "http://127.0.0.1:9/zanzibar", eventTypes: ["test.event"] }),
    await post("/v1/test-sinks", {}),
    await post("/v1/payment-orders", { ...order, submit: false }),
    await post("/v1/payment-orders", { ...order, rail: "Wire" }),
  ];
  await fillCollections(world, key, document, random, 2);
  const lists = listsOf(document);
  const ids = new Set(made.map(({ body }) => String(body["id"])));
  for (const path of lists)
    for (const id of idsIn((await sendPatiently(world, key, "GET", path)).body)) ids.add(id);
  // Bodies made from the document's examples contain its ids: every tenant sends them.
  for (const id of idsIn(document)) ids.delete(id);
  return {
    tenant,
    baits: [...ids].filter((_id, index) => index % 2 === 0),
    hidden: [...ids].filter((_id, index) => index % 2 === 1),
    marks: [mark, "zanzibar"],
    state: () => Promise.all(lists.map((path) => stateOf(world, key, path))),
  };
}

/**
 * A list without the fields that change by themselves: the last use of a key (reading uses it), and the progress of
 * webhook retries.
 */
async function stateOf(world: World, key: string, path: string): Promise<unknown> {
  const { body } = await sendPatiently(world, key, "GET", `${path}?limit=100`);
  const retried = path.endsWith("/webhooks");
  return [
    path,
    (body["data"] as { id?: string }[]).map((item) =>
      retried ? item.id : { ...item, lastUsedAt: undefined },
    ),
  ];
}

/** The book's lists, by path. */
function listsOf(document: OpenApi): string[] {
  return operationsOf(document)
    .filter(
      ({ method, template, operation }) => method === "GET" && !template.includes("{") && isList(operation),
    )
    .map(({ template }) => template);
}

/** The list of a whole book: a statement is of the day that the caller names. */
const isList = ({ parameters = [] }: Operation["operation"]) =>
  parameters.some(({ name }) => name === "limit") &&
  parameters.every((parameter) => parameter.in !== "query" || parameter.required !== true);

/** Creates `times` of each resource that needs no other resource. */
export async function fillCollections(
  world: World,
  key: string,
  document: OpenApi,
  random: RandomFaults,
  times: number,
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const operation of operationsOf(document)) {
    const { method, template } = operation;
    if (method !== "POST" || template.includes("{")) continue;
    for (let time = 0; time < times; time += 1) {
      const { status, body } = await sendPatiently(world, key, "POST", template, {
        body: goodBody(document, operation, random),
      });
      const id = body["id"];
      if (status === 201 && typeof id === "string") found.set(template, [...(found.get(template) ?? []), id]);
    }
  }
  return found;
}

/** The ids of a book's resources by collection, to fill `{id}` in a path. */
export async function knownIds(
  world: World,
  key: string,
  document: OpenApi,
  made: ReadonlyMap<string, readonly string[]>,
): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>([...made].map(([path, some]) => [path, [...some]]));
  for (const path of listsOf(document)) {
    const { body } = await sendPatiently(world, key, "GET", `${path}?limit=100`);
    const own = (body["data"] as { id?: string; last4?: string }[] | undefined) ?? [];
    // Revoking the fuzz's own key would end the fuzz.
    const listed = own
      .filter(({ last4 }) => last4 === undefined || !key.endsWith(last4))
      .flatMap(({ id }) => id ?? []);
    ids.set(path, [...new Set([...(ids.get(path) ?? []), ...listed])]);
  }
  return ids.set(replays, await replayOf(world, key)).set(`${clock}/advances`, await advanceOf(world, key));
}

const replays = "/v1/webhooks/replay";

/** The id of a replay. The examples name an endpoint that does not exist. */
async function replayOf(world: World, key: string): Promise<string[]> {
  const body = { since: new Date(Date.now() - 86_400_000).toISOString(), until: new Date().toISOString() };
  const made = await sendPatiently<{ id?: string }>(world, key, "POST", replays, { body });
  return made.body.id === undefined ? [] : [made.body.id];
}

const clock = "/v1/simulations/clock";

/** The id of an advance: advances have no list. */
async function advanceOf(world: World, key: string): Promise<string[]> {
  await sendPatiently(world, key, "PUT", clock, { body: { mode: "Manual" } });
  const options = { body: { nextBankingDay: true }, headers: { prefer: "wait=10" } };
  const { body } = await sendPatiently<{ id?: string }>(world, key, "POST", `${clock}/advance`, options);
  await until("the clock goes on", async () => {
    const set = await sendPatiently(world, key, "PUT", clock, { body: { mode: "Instant" } });
    if (set.status !== 200 && set.body["code"] !== "clock_advancing")
      throw new Error(JSON.stringify(set.body));
    return set.status === 200;
  });
  return body.id === undefined ? [] : [body.id];
}

/** Every id in a body, at any depth. */
function idsIn(body: unknown): string[] {
  return JSON.stringify(body).match(/\b[a-z]{2,5}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g) ?? [];
}

/** The ids of these keys. */
export async function idsOfKeys(world: World, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const own = await Promise.all(
    [...new Set(keys)].map((key) => sendPatiently(world, key, "GET", "/v1/api-keys/me")),
  );
  return new Set(own.map(({ body }) => String(body["id"])));
}
