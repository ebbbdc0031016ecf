/** The stops for whoever receives webhooks, in the book whose clock the tour moves. */
import { createHmac } from "node:crypto";
import type { Clock } from "../../contracts/http/sandbox/clock.ts";
import type { LedgerAccount } from "../../contracts/http/ledger/ledger-accounts.ts";
import type { PaymentOrder } from "../../contracts/http/payments/payment-orders.ts";
import type { WebhookDiagnosis } from "../../contracts/http/webhooks/diagnosis.ts";
import type { WebhookSecretRotated, WebhookSecrets } from "../../contracts/http/webhooks/endpoint-secrets.ts";
import type { WebhookReplay } from "../../contracts/http/webhooks/replays.ts";
import type { TestSink, TestSinkRequest } from "../../contracts/http/webhooks/test-sinks.ts";
import type { WebhookDelivery, WebhookEndpoint } from "../../contracts/http/webhooks/webhooks.ts";
import { advance, clockPath } from "./clock-stops.ts";
import { expectThat, type Guide } from "./guide.ts";

/** A sink of this tour, and an endpoint that sends to it. */
interface Receiver {
  readonly sink: string;
  readonly endpoint: string;
  readonly secret: string;
}

export async function webhooksAtTheirWorst(guide: Guide): Promise<void> {
  const receiver = await aDeadLetter(guide);
  const sent = await aReplay(guide, receiver);
  await aReserializedBody(guide, receiver, sent);
  await aRotation(guide, receiver);
  await guide.send(
    "maker",
    { method: "DELETE", path: `/v1/webhook-endpoints/${receiver.endpoint}` },
    { status: 204, show: [] },
  );
}

async function aDeadLetter(guide: Guide): Promise<Receiver> {
  await guide.step("A receiver that is broken: attempts at 0, 1 and 6 minutes, then a dead letter");
  const sink = await guide.send<TestSink>(
    "maker",
    { method: "POST", path: "/v1/test-sinks", body: { respond: [500] } },
    { status: 201, show: ["id", "respond"] },
  );
  const body = { url: sink.body.url, eventTypes: ["payment_order.completed"] };
  const { body: endpoint } = await guide.send<WebhookEndpoint & { readonly signingSecret: string }>(
    "maker",
    { method: "POST", path: "/v1/webhook-endpoints", body },
    { status: 201, show: ["id", "eventTypes"] },
  );
  const { body: clock } = await guide.look<Clock>(clockPath);
  await transfer(guide);
  for (const [index, minutes] of [1, 6].entries()) {
    const { nextAttemptAt } = await attempted(guide, endpoint.id, index + 1);
    expectThat(
      nextAttemptAt === minutesAfter(clock.now, minutes),
      `the next one is at ${nextAttemptAt ?? ""}`,
    );
    guide.say(`hook:  attempt ${String(index + 1)} got 500, the next one is at ${nextAttemptAt}`);
    await advance(guide, { to: nextAttemptAt });
  }
  const { status } = await attempted(guide, endpoint.id, 3);
  expectThat(status === "DeadLettered", `after three attempts the delivery is ${status}`);
  guide.say("hook:  attempt 3 got 500, the delivery is DeadLettered");
  return { sink: sink.body.id, endpoint: endpoint.id, secret: endpoint.signingSecret };
}

/** One order that completes without a bank. */
async function transfer(guide: Guide): Promise<void> {
  const open = async (name: string) =>
    (
      await guide.send<LedgerAccount>(
        "maker",
        {
          method: "POST",
          path: "/v1/ledger-accounts",
          body: { name: `${name} ${new Date().toISOString()}` },
        },
        { status: 201, show: ["id", "name"] },
      )
    ).body.id;
  const [from, to] = [await open("Operating"), await open("Payroll")];
  await guide.send<PaymentOrder>(
    "maker",
    {
      method: "POST",
      path: "/v1/payment-orders",
      body: {
        direction: "Credit",
        rail: "Book",
        amountCents: 12_500,
        ledgerAccountId: from,
        counterpartyAccountNumber: to,
      },
    },
    { status: 201, show: ["id", "status"] },
  );
}

/** The endpoint's only delivery of the tour, once it has had so many attempts. */
async function attempted(guide: Guide, endpoint: string, count: number): Promise<WebhookDelivery> {
  const { data } = await guide.lookUntil<{ data: WebhookDelivery[] }>(
    `/v1/webhooks?endpointId=${endpoint}`,
    (page) => page.data[0]?.attemptCount === count,
  );
  const [delivery] = data;
  expectThat(delivery !== undefined, "there is no delivery");
  return delivery;
}

const minutesAfter = (time: string, minutes: number) =>
  new Date(Date.parse(time) + minutes * 60_000).toISOString();

/** Returns the request that arrived. */
async function aReplay(guide: Guide, { sink, endpoint }: Receiver): Promise<TestSinkRequest> {
  await guide.step(
    "The receiver is mended: what it missed goes out again, with the same id and the same bytes",
  );
  await guide.send<TestSink>(
    "maker",
    { method: "PATCH", path: `/v1/test-sinks/${sink}`, body: { respond: [200] } },
    { status: 200, show: ["respond"] },
  );
  const now = new Date();
  const body = {
    endpointId: endpoint,
    since: minutesAfter(now.toISOString(), -60),
    until: now.toISOString(),
  };
  await guide.send<WebhookReplay>(
    "maker",
    { method: "POST", path: "/v1/webhooks/replay", body },
    { status: 202, show: ["id", "status", "matched"] },
  );
  const requests = await requestsUntil(guide, sink, 4);
  const [first] = requests;
  const last = requests.at(-1);
  expectThat(first !== undefined && last !== undefined, "the sink got nothing");
  const same = requests.filter(
    ({ headers, bodyBase64 }) =>
      headers["webhook-id"] === first.headers["webhook-id"] && bodyBase64 === first.bodyBase64,
  );
  expectThat(same.length === 4, `${String(same.length)} of 4 requests have the same id and bytes`);
  const { status } = await attempted(guide, endpoint, 4);
  expectThat(status === "Delivered", `after the replay the delivery is ${status}`);
  guide.say(`hook:  4 requests with webhook-id ${first.headers["webhook-id"] ?? ""}, same bytes; Delivered`);
  return last;
}

async function aReserializedBody(guide: Guide, { endpoint }: Receiver, sent: TestSinkRequest): Promise<void> {
  await guide.step("A signature that does not verify: the receiver parsed and re-serialized the body");
  const body = {
    endpointId: endpoint,
    body: JSON.stringify(JSON.parse(sent.body ?? "{}"), undefined, 1),
    header: sent.headers["x-service-signature"],
  };
  const { body: diagnosis } = await guide.send<WebhookDiagnosis>(
    "maker",
    { method: "POST", path: "/v1/webhooks/diagnose", body },
    { status: 200, show: ["verdict", "firstDifferentByte", "explanation"] },
  );
  expectThat(diagnosis.verdict === "BodyReserialized", `the verdict is ${diagnosis.verdict}`);
}

async function aRotation(guide: Guide, receiver: Receiver): Promise<void> {
  const path = `/v1/webhook-endpoints/${receiver.endpoint}`;
  await guide.step("A new signing secret: for a day both sign, so that the receiver can change over");
  const { body: rotated } = await guide.send<WebhookSecretRotated>(
    "maker",
    { method: "POST", path: `${path}/rotate-secret`, body: { overlapHours: 24 } },
    { status: 200, show: ["activeSecrets"] },
  );
  await aTest(guide, receiver, [rotated.signingSecret, receiver.secret]);
  await guide.step("The old secret retires: one signature is left");
  await guide.send<WebhookSecrets>(
    "maker",
    { method: "POST", path: `${path}/retire-previous-secret` },
    { status: 200, show: ["activeSecrets"] },
  );
  await aTest(guide, receiver, [rotated.signingSecret]);
}

/** Sends a test event. Exactly these secrets have signed it, in this order. */
async function aTest(guide: Guide, { sink, endpoint }: Receiver, secrets: readonly string[]): Promise<void> {
  const before = (await guide.look<{ data: TestSinkRequest[] }>(requestsOf(sink))).body.data.length;
  await guide.send(
    "maker",
    { method: "POST", path: `/v1/webhook-endpoints/${endpoint}/test` },
    { status: 202, show: ["id", "status"] },
  );
  const request = (await requestsUntil(guide, sink, before + 1)).at(-1);
  const bytes = Buffer.from(request?.bodyBase64 ?? "", "base64");
  const expected = secrets.map((secret) => createHmac("sha256", secret).update(bytes).digest("hex"));
  const header = request?.headers["x-service-signature"] ?? "";
  expectThat(header === expected.join(","), `test.event came with other signatures: ${header}`);
  const shown = expected.map((signature) => `${signature.slice(0, 16)}…`).join(",");
  guide.say(`hook:  test.event, X-Service-Signature ${shown} verified`);
}

const requestsOf = (sink: string) => `/v1/test-sinks/${sink}/requests?after=0&limit=100`;

/** The sink's requests, oldest first, once there are so many. */
async function requestsUntil(guide: Guide, sink: string, count: number): Promise<TestSinkRequest[]> {
  const { data } = await guide.lookUntil<{ data: TestSinkRequest[] }>(
    requestsOf(sink),
    (page) => page.data.length >= count,
  );
  return data;
}
