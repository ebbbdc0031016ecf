/** The system around a fuzz: a tenant that is fuzzed, another for its webhooks, and a stranger nobody may see. */
import type { OpenApi, Operation } from "./document.ts";
import type { RandomFaults } from "../faults/random-faults.ts";
import { type Answer, call } from "../../scripts/local/api.ts";
import type { SeededTenant } from "../../scripts/local/seed.ts";
import { seedOtherTenant } from "../world/operator.ts";
import { counterpartyOn } from "../world/payer.ts";
import type { World } from "../world/world.ts";
import { operationsOf } from "./document.ts";
import { goodBody } from "./samples.ts";

/** What only the stranger has: a word of it in anybody else's answer is a leak. */
const mark = "Zanzibar-Secret";

export interface Stranger {
  readonly tenant: SeededTenant;
  /** Ids that a fuzz sends, and that must lead nowhere. */
  readonly baits: readonly string[];
  /** Ids that it never sends: where one shows, it has leaked. */
  readonly hidden: readonly string[];
  /** What must never show. */
  readonly marks: readonly string[];
  /** The stranger's own lists, as it sees them. */
  state(): Promise<unknown>;
}

const post = (world: World, key: string, path: string, body: unknown): Promise<Answer> =>
  call(world.baseUrl(), { method: "POST", path, key, body });
const get = (world: World, key: string, path: string): Promise<Answer> =>
  call(world.baseUrl(), { method: "GET", path, key });

/** A tenant with a bit of everything, each of it marked. */
export async function aStranger(world: World, document: OpenApi, random: RandomFaults): Promise<Stranger> {
  const tenant = await seedOtherTenant(world, `${mark} Inc`);
  const key = tenant.keys.admin;
  const account = await post(world, key, "/v1/ledger-accounts", {
    name: `${mark} account`,
    metadata: { mark },
  });
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
    await post(world, key, "/v1/webhook-endpoints", {
      url: "http://127.0.0.1:9/zanzibar",
      eventTypes: ["test.event"],
    }),
    await post(world, key, "/v1/test-sinks", {}),
    await post(world, key, "/v1/payment-orders", { ...order, submit: false }),
    await post(world, key, "/v1/payment-orders", { ...order, rail: "Wire" }),
  ];
  await fillCollections(world, key, document, random, 2);
  const lists = listsOf(document);
  const ids = new Set(made.map(({ body }) => String(body["id"])));
  for (const path of lists) for (const id of idsIn((await get(world, key, path)).body)) ids.add(id);
  // Bodies that are made from the document's examples name its ids: they are everybody's.
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
 * A list as it stands, but for what time changes by itself: when its keys were used (looking is using), and how far the
 * retries of a webhook have come that nobody takes.
 */
async function stateOf(world: World, key: string, path: string): Promise<unknown> {
  const { body } = await get(world, key, `${path}?limit=100`);
  const retried = path.endsWith("/webhook-deliveries");
  return [
    path,
    (body["data"] as { id?: string }[]).map((item) =>
      retried ? item.id : { ...item, lastUsedAt: undefined },
    ),
  ];
}

/** Lists of the book, by their path. */
function listsOf(document: OpenApi): string[] {
  return operationsOf(document)
    .filter(
      ({ method, template, operation }) =>
        method === "GET" && !template.includes("{") && takesLimit(operation),
    )
    .map(({ template }) => template);
}

const takesLimit = (operation: Operation["operation"]) =>
  operation.parameters?.some(({ name }) => name === "limit") === true;

/** Creates `times` of everything that the document says can be created from nothing. */
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
      const { status, body } = await post(world, key, template, goodBody(document, operation, random));
      const id = body["id"];
      if (status === 201 && typeof id === "string") found.set(template, [...(found.get(template) ?? []), id]);
    }
  }
  return found;
}

/** The ids of a book's resources by collection, so that a path's `{id}` can be one that exists. */
export async function knownIds(
  world: World,
  key: string,
  document: OpenApi,
  made: ReadonlyMap<string, readonly string[]>,
): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>([...made].map(([path, some]) => [path, [...some]]));
  for (const path of listsOf(document)) {
    const { body } = await get(world, key, `${path}?limit=100`);
    const own = (body["data"] as { id?: string; last4?: string }[] | undefined) ?? [];
    // The key that the fuzz calls with would end the fuzz when it is revoked.
    const listed = own
      .filter(({ last4 }) => last4 === undefined || !key.endsWith(last4))
      .flatMap(({ id }) => id ?? []);
    ids.set(path, [...new Set([...(ids.get(path) ?? []), ...listed])]);
  }
  return ids;
}

/** Every id that stands in a body, however deep. */
function idsIn(body: unknown): string[] {
  return JSON.stringify(body).match(/\b[a-z]{2,5}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g) ?? [];
}
