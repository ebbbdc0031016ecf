/**
 * Sends thousands of invalid requests to each operation. `SEED` repeats a run, `FUZZ_ONLY=operationId` runs one
 * operation, and `FUZZ_REQUESTS` sets the number for each; by default the run ends after a fixed time.
 */
import { describe, expect, it } from "vitest";
import type { LedgerAccount } from "../../contracts/http/ledger/ledger-accounts.ts";
import { RandomFaults } from "../faults/inject/random-faults.ts";
import { forThisFile } from "../stack/for-this-file.ts";
import { loggedErrors } from "../stack/logged-errors.ts";
import { seedOtherTenant } from "../world/system/operator.ts";
import { until } from "../stack/until.ts";
import { sendPatiently } from "../world/patience/patiently.ts";
import { usd } from "../world/usd.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { Payer } from "../world/payer.ts";
import { AnswerChecker, type Exchanged, jsonOf } from "./answers.ts";
import { type Operation, operationsOf, readDocument } from "./document.ts";
import { type Draft, spoil, type Surroundings } from "./fuzz/mutations.ts";
import { goodBody, goodParameter } from "./fuzz/samples.ts";
import { isFailure, Sender, type Sent, sentOf, shown } from "./fuzz/send.ts";
import { aStranger, fillCollections, idsOfKeys, knownIds } from "./fixtures.ts";
import { contentsOf } from "./writes/contents.ts";

const random = RandomFaults.of("fuzz");
const requestsEach = Number(process.env["FUZZ_REQUESTS"] ?? 2_000);
const leastEach = Math.min(100, requestsEach);
const withinMs = process.env["FUZZ_REQUESTS"] === undefined ? 30_000 : Number.POSITIVE_INFINITY;
const only = process.env["FUZZ_ONLY"];
/** The number of refused requests per operation to send again, to prove that they write nothing. */
const keptEach = 60;

let surroundings: Surroundings;
/** Their own tenant: a thousand endpoints would receive each order, and a policy could refuse all orders. */
let keys: { orders: readonly string[]; apart: readonly string[] };
const ids = new Map<string, string[]>();
/** Faults of answers by operation: the first few of each kind. */
const faults = new Map<string, string[]>();
const refused: Sent[] = [];
const counts = new Map<string, { sent: number; accepted: number; refused: number }>();

const world = await forThisFile(OwnWorld.start());
const document = await readDocument(`${world.baseUrl()}/v1/openapi.json`);
const checker = new AnswerChecker(document);
const sender = await forThisFile(new Sender(world.baseUrl()));
const stranger = await aStranger(world, document, random);
await prepareTenant();
const strangersState = await until("the stranger's orders have come to rest", restingState);

async function prepareTenant(): Promise<void> {
  const { admin, approver1, maker } = world.tenant.keys;
  const apart = await seedOtherTenant(world, "Apart");
  keys = {
    orders: [admin, admin, admin, maker, maker, approver1],
    apart: [apart.keys.admin, apart.keys.admin, apart.keys.approver1],
  };
  const opens = (name: string) =>
    sendPatiently<LedgerAccount>(world, admin, "POST", "/v1/ledger-accounts", { body: { name } });
  const { body } = await opens("Operating");
  await opens("Reserve");
  const payer = new Payer(world, body.id, body.name);
  for (const rail of ["Rtp", "Ach", "Wire"] as const) {
    for (const submit of [true, true, false, false]) await payer.pays(usd("10.00"), { rail, submit });
  }
  const made = await fillCollections(world, admin, document, random, 4);
  const madeApart = await fillCollections(world, apart.keys.admin, document, random, 4);
  for (const [path, known] of await knownIds(world, admin, document, made)) ids.set(path, known);
  for (const [path, known] of await knownIds(world, apart.keys.admin, document, madeApart)) {
    if (isApart(path)) ids.set(path, known);
  }
  // A key that is revoked early would leave the rest of the run nothing but 401.
  const inUse = await idsOfKeys(world, [...keys.orders, ...keys.apart]);
  ids.set("/v1/api-keys", ids.get("/v1/api-keys")?.filter((id) => !inUse.has(id)) ?? []);
  const orders = "/v1/payment-orders?limit=1";
  const page = await sendPatiently<{ nextCursor: string }>(world, maker, "GET", orders);
  surroundings = {
    strangers: stranger.baits,
    parameters: [
      ...new Set(
        operationsOf(document).flatMap(({ operation }) =>
          (operation.parameters ?? []).flatMap((each) => (each.in === "query" ? each.name : [])),
        ),
      ),
    ],
    cursors: [page.body.nextCursor, "x", "", "e30", Buffer.from('["a","b"]').toString("base64url")],
  };
}

function isApart(path: string): boolean {
  return /^\/v1\/(?:webhook-endpoints|test-sinks|approval-policy)/.test(path);
}

/** Ids of the fuzzed book with this prefix, for fields of a body. */
const ownIds = (prefix: string) => [...ids.values()].flat().filter((id) => id.startsWith(`${prefix}_`));

async function restingState(): Promise<unknown> {
  const before = JSON.stringify(await contentsOf(world));
  const state = await stranger.state();
  return before === JSON.stringify(await contentsOf(world)) ? state : undefined;
}

/** A request that is valid by the document. */
function goodRequest(operation: Operation): Draft {
  const { method, template } = operation;
  const parameters = operation.operation.parameters ?? [];
  const collection = template.split("/{", 1)[0] ?? "";
  // Simulations have ids of their own, or those of the resource that they change.
  const all = ids.get(collection) ?? ids.get(collection.replace("/v1/simulations", "/v1")) ?? [];
  // The newest resources are the likeliest to be in a state that allows an action.
  const known = random.next() < 0.5 ? all : all.slice(-20);
  const segments = template
    .slice(1)
    .split("/")
    .map((segment) => {
      if (segment === "{id}") return known.length === 0 ? "none" : random.pick(known);
      const named = parameters.find(({ name }) => segment === `{${name}}`);
      return named === undefined ? segment : encodeURIComponent(goodParameter(document, named, random));
    });
  const query = parameters
    .filter((each) => each.in === "query" && each.name !== "cursor")
    .filter((each) => each.required === true || random.next() < 0.15)
    .map((each) => `${each.name}=${encodeURIComponent(goodParameter(document, each, random))}`);
  const body = goodBody(document, operation, random, ownIds);
  return {
    method,
    segments,
    query,
    headers: {
      "x-api-key": random.pick(isApart(template) ? keys.apart : keys.orders),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body,
    raw: undefined,
  };
}

function judge(sent: Sent, answer: Exchanged | Error): string[] {
  // The server closes the connection of a body that is too large, perhaps before its answer is read.
  if (answer instanceof Error)
    return (sent.body?.length ?? 0) > 1_000_000 ? [] : [`no answer: ${answer.message}`];
  const { text, status } = answer;
  const found = checker.faultsOf(status < 300 ? { ...answer, sent: jsonOf(sent.body) } : answer);
  if (isFailure(answer)) found.push(`a failure: ${text.slice(0, 300)}`);
  found.push(...stranger.marks.filter((mark) => text.includes(mark)).map((mark) => `shows ${mark}`));
  found.push(...stranger.hidden.filter((id) => text.includes(id)).map((id) => `shows ${id}`));
  if (status < 300)
    found.push(...stranger.baits.filter((id) => isUsed(id, sent, text)).map((id) => `uses ${id}`));
  return found;
}

/**
 * A stranger's id may occur in an answer as text that the caller sent, never as a resource. The payee of an obligation
 * is such text: the ledger stores it unchecked, and its remittance refuses a counterparty of another book.
 */
function isUsed(id: string, { path }: Sent, text: string): boolean {
  const asResource = new RegExp(`"(?!external|payeeCounterparty)\\w*[iI]d":"${id}"`);
  return path.split(/[/?]/).includes(id) || asResource.test(text);
}

/** Sends the requests sixteen at a time. Returns the answers in the same order. */
async function sendAll(sents: readonly Sent[]): Promise<(Exchanged | Error)[]> {
  const answers: (Exchanged | Error)[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < sents.length; at = next++) {
      const sent = sents[at];
      if (sent !== undefined) answers[at] = await sender.send(sent);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return answers;
}

/** Requests for each operation, in one stream, so that a slow answer delays no other. */
async function fuzzRound(operations: readonly Operation[], requestsOfEach: number): Promise<void> {
  const round = operations.flatMap((operation) =>
    Array.from({ length: requestsOfEach }, () => {
      const draft = goodRequest(operation);
      spoil(draft, random, surroundings);
      return { name: operation.operation.operationId, sent: sentOf(draft) };
    }),
  );
  const answers = await sendAll(round.map(({ sent }) => sent));
  for (const [at, { name, sent }] of round.entries()) note(name, sent, answers[at]!);
}

function note(name: string, sent: Sent, answer: Exchanged | Error): void {
  for (const fault of judge(sent, answer)) {
    const same = faults.get(fault.slice(0, 60)) ?? [];
    faults.set(fault.slice(0, 60), same);
    if (same.length < 3) same.push(`${fault}\n      ${shown(sent)}`);
  }
  const count = counts.get(name) ?? { sent: 0, accepted: 0, refused: 0 };
  counts.set(name, count);
  count.sent += 1;
  if (answer instanceof Error) return;
  if (answer.status < 300) {
    count.accepted += 1;
    remember(answer);
  } else if ((count.refused += 1) <= keptEach) refused.push(sent);
}

/** Lets the next requests use the resources that were just created. */
function remember({ method, path, status, text }: Exchanged): void {
  if (method === "GET" || method === "HEAD" || status === 204) return;
  const [collection = ""] = path.split("?");
  const { id, proposalId } = JSON.parse(text) as { id?: string; proposalId?: string | null };
  if (status === 201 && id !== undefined) ids.get(collection)?.push(id);
  if (typeof proposalId === "string") ids.get(`${collection}/proposals`)?.push(proposalId);
}

const isRefusal = (answer: Exchanged | Error | undefined) =>
  answer instanceof Error || (answer?.status ?? 0) >= 400;

/** A refusal that the same request gets each time: a retryable one may be accepted the next time. */
const isLastingRefusal = (answer: Exchanged | Error | undefined) =>
  isRefusal(answer) &&
  (answer instanceof Error ||
    (jsonOf(answer?.text) as { retryable?: boolean } | undefined)?.retryable !== true);

const systemRests = () =>
  until("the system has come to rest", async () => ((await restingState()) === undefined ? undefined : true));

/** Sends these requests again: the contents of the tables before and after, and which of them are refused each time. */
async function sendAgain(requests: readonly Sent[]) {
  await systemRests();
  const before = await contentsOf(world);
  const answers = await sendAll(requests);
  const after = await contentsOf(world);
  return { before, after, refusedAgain: requests.filter((_sent, at) => isLastingRefusal(answers[at])) };
}

const nameOf = ({ operation }: Operation) => operation.operationId;
const hasAccepted = (name: string) => (counts.get(name)?.accepted ?? 0) > 0;

/** The number of requests per operation: `createPaymentOrder 450 (41 accepted)`. */
function summary(): string {
  return [...counts]
    .map(([name, { sent, accepted }]) => `${name} ${String(sent)} (${String(accepted)} accepted)`)
    .join(", ");
}

describe("invalid requests", () => {
  it("get documented answers, and show nothing of another tenant", async () => {
    const operations = operationsOf(document).filter(
      ({ operation }) => only === undefined || operation.operationId === only,
    );
    const endsAt = performance.now() + withinMs;
    for (let done = 0; done < leastEach || (done < requestsEach && performance.now() < endsAt); done += 50)
      await fuzzRound(operations, 50);
    const reads = operations.filter(({ method }) => method === "GET");
    // A few requests may all have met resources that others deleted.
    const notAccepted = () => reads.filter((each) => !hasAccepted(nameOf(each)));
    for (let round = 0; round < 10 && notAccepted().length > 0; round += 1)
      await fuzzRound(notAccepted(), 50);
    process.stdout.write(`${summary()}\n`);
    expect([...faults.values()].flat().join("\n")).toBe("");
    // Even on a slow machine, each operation must refuse some requests.
    for (const [name, { sent, refused: no }] of counts)
      expect([name, sent >= leastEach, no > 0]).toEqual([name, true, true]);
    // Each read must accept some. A change needs a resource in the right state, which the run may not have.
    expect(notAccepted().map(nameOf)).toEqual([]);
  });

  it("write nothing to any table when they are refused", async () => {
    // Retries of their deliveries would be written between the two reads.
    await world.rows(
      `update webhooks.endpoint set status = 'Disabled'
       where id in (select endpoint_id from webhooks.delivery where status in ('Pending', 'Retrying'))`,
    );
    // One that is accepted now was refused for a state that has passed (a key in use, a payment under way).
    let { before, after, refusedAgain } = await sendAgain(refused);
    // A clock may write between the two reads (a webhook's second attempt). A refusal that writes does so every time.
    for (let look = 1; look < 5 && JSON.stringify(before) !== JSON.stringify(after); look += 1) {
      ({ before, after, refusedAgain } = await sendAgain(refusedAgain));
    }
    expect(refusedAgain.length).toBeGreaterThan(refused.length * 0.95);
    expect(after).toEqual(before);
  });

  it("change nothing of another tenant", async () => {
    expect(await stranger.state()).toEqual(strangersState);
  });

  it("make no service log an error", () => {
    const failures = loggedErrors(world.lines)
      // The fuzz requests errors of the bank, days that the clock skips, and a rail that contradicts itself (`force`).
      // A person hears of all of them.
      .filter(
        (line) => !/run is not Reconciled|bank_statement_refused|no bank statement has arrived/.test(line),
      )
      .filter(
        (line) =>
          !/"type":"rails\.[^"]*","orderId":"[^"]*","reason":"[^"]*(?:is expected neither in|had ended)/.test(
            line,
          ),
      );
    expect(failures.slice(0, 3)).toEqual([]);
  });
});
