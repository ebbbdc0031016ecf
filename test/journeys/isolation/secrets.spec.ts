import { AckPolicy, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { beforeAll, describe, expect, it } from "vitest";
import type { Counterparty } from "../../../contracts/http/payments/counterparties.ts";
import type { VirtualAccount } from "../../../contracts/http/ledger/virtual-accounts.ts";
import type { PaymentOrder } from "../../../clients/typescript/types.gen.ts";
import { messageStreams, streams } from "../../../contracts/streams.ts";
import { approve, cancel, submit } from "../../world/actions.ts";
import { natsAs, tablesOf } from "../../world/system/operator.ts";
import { counterpartyOn, type Payer } from "../../world/payer.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { patienceMs, until } from "../../stack/until.ts";
import { usedNumbers } from "../../world/inbound.ts";
import { usd } from "../../world/usd.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

/** Numbers that occur nowhere else, so a hit is a leak. */
const accountNumbers = {
  Ach: "70314159265358979",
  SameDayAch: "70271828182845904",
  Rtp: "70577215664901532",
  Wire: "GB82WEST70161803398874989",
  Usdc: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
} as const;
/** The numbers of a counterparty that is stored, verified, paid and edited. */
const storedNumbers = {
  Ach: "70161803398874989",
  SameDayAch: "70130357726903429",
  Rtp: "70123606797749978",
  Wire: "FR14700200505126449490721",
  Usdc: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
} as const;
const editedNumber = "70122474487139158";
const refusedNumber = "70141421356237309";
const magicNumbers = ["100003", "200003", "300404"];

const world = await forThisFile(OwnWorld.start({ isPatient: true, env: { LOG_LEVEL: "debug" } }));
const operator = await forThisFile(natsAs(world, "operator"));
let signingSecret: string;
/** The tenant's own virtual account numbers, one of them closed. */
let virtual: Awaited<ReturnType<typeof usedNumbers>> | undefined;
beforeAll(async () => {
  await keepAllMessages(operator);
  const endpoint = await world.post<{ signingSecret: string }>(
    "/v1/webhook-endpoints",
    { url: world.receiver.url, eventTypes: ["test.event"] },
    { headers: { "idempotency-key": "endpoint" } },
  );
  signingSecret = endpoint.body.signingSecret;
  const payer = await world.payerWith(usd("1000.00"));
  await moveMoney(payer);
  await payCounterparty(payer);
  virtual = await usedNumbers(world, payer, refusedNumber);
  await sendWhatIsRefused();
});

/** Streams delete messages that every consumer has read. A consumer that never reads makes them keep all messages. */
async function keepAllMessages(nats: NatsConnection): Promise<void> {
  const manager = await jetstreamManager(nats, { timeout: patienceMs });
  for (const stream of messageStreams) {
    await manager.consumers.add(stream, { durable_name: "never-reads", ack_policy: AckPolicy.Explicit });
  }
}

/** Every rail and every ending, so that each table and each message type is used. */
async function moveMoney(payer: Payer): Promise<void> {
  const orders: PaymentOrder[] = [];
  for (const rail of ["Ach", "SameDayAch", "Rtp", "Wire", "Usdc"] as const) {
    orders.push(
      await payer.pays(usd("1.00"), { rail, to: accountNumbers[rail], idempotencyKey: `pays-${rail}` }),
    );
  }
  const [, , , wire] = orders;
  await approve(world, wire?.id ?? "", "approver1");
  await approve(world, wire?.id ?? "", "approver2");
  orders.push(await payer.collects(usd("1.00"), { to: accountNumbers.Ach }));
  orders.push(await payer.pays(usd("99999.00"), { to: accountNumbers.Rtp }));
  for (const to of magicNumbers)
    orders.push(await payer.pays(usd("1.00"), { rail: to === "300404" ? "Rtp" : "Ach", to }));
  const cancelled = await payer.pays(usd("1.00"), { rail: "Wire", to: accountNumbers.Wire });
  await cancel(world, cancelled.id, "Sent by mistake");
  orders.push(cancelled);
  const tooMuch = orders.find(({ amountCents }) => amountCents === usd("99999.00"));
  await Promise.all(orders.filter((order) => order !== tooMuch).map(({ id }) => world.comesToRest(id)));
}

/** Stored, replaced, refused, verified, and paid on every rail and from a Draft. */
async function payCounterparty(payer: Payer): Promise<void> {
  const path = "/v1/counterparties";
  let keys = 0;
  const write = (method: "POST" | "PUT", to: string, body: unknown, as: "maker" | "admin" = "maker") => {
    const headers = { "idempotency-key": `counterparty-${String((keys += 1))}` };
    return world.send<Counterparty>(world.tenant.keys[as], method, to, { body, headers });
  };
  const accountsWith = (numbers: Record<keyof typeof storedNumbers, string>) =>
    Object.entries(numbers).map(([rail, accountNumber]) => ({
      rail,
      accountNumber,
      routingNumber: rail === "Usdc" ? "base" : "790001005",
    }));
  const stored = { name: "Ada Example", type: "Individual", accounts: accountsWith(storedNumbers) };
  const { body } = await write("POST", path, stored);
  const order = (rail: string, submit: boolean) =>
    world.post<PaymentOrder>("/v1/payment-orders", {
      direction: "Credit",
      rail,
      amountCents: 100,
      ledgerAccountId: payer.accountId,
      counterpartyId: body.id,
      submit,
    });
  await order("Rtp", true);
  await write("POST", `${path}/${body.id}/verify`, {}, "admin");
  const draft = await order("Rtp", false);
  const orders = await Promise.all(["Ach", "SameDayAch", "Rtp", "Usdc"].map((rail) => order(rail, true)));
  await Promise.all(orders.map((made) => world.comesToRest(made.body.id)));
  const edited = { ...stored, accounts: accountsWith({ ...storedNumbers, Rtp: editedNumber }) };
  await write("PUT", `${path}/${body.id}`, edited);
  await write("POST", `${path}/${body.id}/verify`, {}, "admin");
  expect((await submit(world, draft.body.id)).status).toBe(200);
  await world.comesToRest(draft.body.id);
  const faulty = { rail: "Rtp", accountNumber: refusedNumber, routingNumber: "790001006" };
  const refusals = [
    await write("POST", path, { ...stored, accounts: [faulty] }),
    await write("PUT", `${path}/${body.id}`, {
      ...stored,
      accounts: [{ ...faulty, routingNumber: refusedNumber }],
    }),
    await write("POST", path, { ...stored, accounts: [{ ...faulty, accountNumber: Number(refusedNumber) }] }),
    await write("POST", path, {
      ...stored,
      accounts: [{ ...faulty, accountNumber: `${refusedNumber} ${refusedNumber}` }],
    }),
  ];
  expect(refusals.map(({ status }) => status >= 400)).toEqual([true, true, true, true]);
  expect(leaksIn(JSON.stringify(refusals.map((refusal) => refusal.body)))).toEqual([]);
}

/** Refusals and failures, because their texts could contain data. */
async function sendWhatIsRefused(): Promise<void> {
  const body = {
    direction: "Credit",
    rail: "Rtp",
    amountCents: 100,
    ledgerAccountName: "Nobody's",
    ...counterpartyOn("Rtp", refusedNumber),
  };
  const { maker } = world.tenant.keys;
  const post = (text: string, key = maker) =>
    fetch(`${world.baseUrl()}/v1/payment-orders?key=${encodeURIComponent("x")}`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: text,
    }).then((response) => response.text());
  const answers = [
    await post(JSON.stringify(body)),
    await post(`${JSON.stringify(body).slice(0, -1)}, "oops"`),
    await post(JSON.stringify({ ...body, counterpartyAccountNumber: Number(refusedNumber) })),
    await post(JSON.stringify({ ...body, counterpartyAccountNumber: [refusedNumber] })),
    await post(JSON.stringify({ ...body, counterpartyRoutingNumber: refusedNumber.repeat(9) })),
    await post(JSON.stringify(body), `${maker.slice(0, -1)}!`),
  ];
  for (const answer of answers) expect(answer).not.toContain(refusedNumber);
}

/** Each secret in the forms that it could have: plain, and as bytes in hex or base64. */
function secrets(): { what: string; forms: string[] }[] {
  const named = [
    ...Object.entries(accountNumbers).map(
      ([rail, number]) => [`the account number on ${rail}`, number] as const,
    ),
    ...Object.entries(storedNumbers).map(
      ([rail, number]) => [`a counterparty's account number on ${rail}`, number] as const,
    ),
    ["a counterparty's edited account number", editedNumber] as const,
    ["a refused account number", refusedNumber] as const,
    ...(virtual?.numbers ?? []).map((number) => ["a virtual account's number", number] as const),
    ...Object.entries(world.tenant.keys).map(([part, key]) => [`the API key of ${part}`, key] as const),
    ["a signing secret", signingSecret] as const,
    ["a signing secret's key", signingSecret.replace("whsec_", "")] as const,
  ];
  return named.map(([what, text]) => ({
    what,
    forms: [text, Buffer.from(text).toString("hex"), Buffer.from(text).toString("base64").replace(/=+$/, "")],
  }));
}

const leaksIn = (text: string) =>
  secrets()
    .filter(({ forms }) => forms.some((form) => text.includes(form)))
    .map(({ what }) => what);

describe("account numbers, API keys and signing secrets are", () => {
  it("in no message of any stream", async () => {
    const texts = await until("every stream has been used", async () => {
      const all = await messagesOf(operator);
      return all.length > 20 ? all : undefined;
    });
    expect(texts.filter((text) => text.includes("ciphertext")).length).toBeGreaterThan(5);
    for (const text of texts) expect(leaksIn(text)).toEqual([]);
  });

  it("in no row of any table", async () => {
    const tables = await tablesOf(world);
    expect(tables).toEqual(
      expect.arrayContaining([
        "orders.payment_order",
        "orders.counterparty_account",
        "orders.idempotency",
        "rails.instruction",
        "rails.inbound_transfer",
        "ledger.virtual_account",
        "ledger.inbound_payment",
        "ledger.idempotency",
        "ledger.outbox",
      ]),
    );
    for (const table of tables) {
      const rows = await world.rows<{ text: string }>(`select t::text as text from ${table} t`);
      expect([table, leaksIn(rows.map(({ text }) => text).join("\n"))]).toEqual([table, []]);
    }
  });

  it("in no line of any log", () => {
    expect(world.lines.length).toBeGreaterThan(100);
    expect(leaksIn(world.lines.join("\n"))).toEqual([]);
  });

  it("in no webhook", () => {
    expect(world.receiver.deliveries.length).toBeGreaterThan(30);
    expect(leaksIn(JSON.stringify(world.receiver.deliveries))).toEqual([]);
  });

  it("in no answer except the one that creates the secret", async () => {
    expect(leaksIn(JSON.stringify(virtual?.answers))).toEqual([]);
    for (const path of [
      "payment-orders",
      "counterparties",
      "ledger-accounts",
      "webhooks",
      "webhook-endpoints",
      "balances",
      "inbound-payments",
    ]) {
      const { body } = await world.get(`/v1/${path}?limit=100`);
      expect([path, leaksIn(JSON.stringify(body))]).toEqual([path, []]);
    }
  });
});

describe("the search itself", () => {
  it("covers virtual accounts that were used and whose numbers only their owner can read", async () => {
    const { body } = await world.get<{ data: VirtualAccount[] }>("/v1/virtual-accounts");
    expect(body.data.map(({ accountNumber }) => accountNumber).sort()).toEqual(virtual?.numbers.toSorted());
  });

  it("finds a secret in the answer that shows it", () => {
    expect(leaksIn(`{"signingSecret":"${signingSecret}"}`)).toEqual([
      "a signing secret",
      "a signing secret's key",
    ]);
    expect(leaksIn(Buffer.from(accountNumbers.Ach).toString("hex"))).toEqual(["the account number on Ach"]);
  });

  it("covers an encrypted account number with its last four digits in clear", async () => {
    const rows = await world.rows<{ account: { last4: string; keyId: string; ciphertext: string } }>(
      "select counterparty_account as account from orders.payment_order where rail = 'Wire'",
    );
    expect(rows[0]?.account).toEqual({
      keyId: "local-1",
      ciphertext: expect.stringMatching(/^[A-Za-z0-9+/]{40,}=*$/),
      last4: "4989",
    });
  });
});

/** The text of every message in every stream. */
async function messagesOf(nats: NatsConnection): Promise<string[]> {
  const manager = await jetstreamManager(nats, { timeout: patienceMs });
  const texts: string[] = [];
  for (const stream of Object.keys(streams)) {
    const { state } = await manager.streams.info(stream);
    for (let seq = state.first_seq; state.messages > 0 && seq <= state.last_seq; seq += 1) {
      const message = await manager.streams.getMessage(stream, { seq });
      if (message !== null)
        texts.push(`${message.subject} ${JSON.stringify([...message.header])} ${message.string()}`);
    }
  }
  return texts;
}
