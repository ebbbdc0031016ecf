import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import {
  TestClock,
  requestContext,
  statusChange,
  testCipher,
  WebhooksInstance,
} from "../../../test/stack/services/webhooks.ts";
import { SinksInstance } from "../../../test/stack/services/sinks.ts";
import { type WebhookDiagnose, webhookDiagnose } from "../../../contracts/http/webhooks/diagnosis.ts";
import { newId, uuidOf, type WebhookEndpointId } from "../../../contracts/ids/ids.ts";
import { serviceSignature, signatureHeaders, signingSecret } from "../endpoints/domain/signature.ts";
import { EndpointResolver } from "../deliveries/endpoint-resolver.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";
import { DiagnoseWebhookHandler } from "./diagnose-webhook.handler.ts";

const clock = new TestClock();
const units = await forThisFile(openFreshUnits("webhooks"));
const sinks = await forThisFile(SinksInstance.start(units, clock));
const webhooks = await forThisFile(new WebhooksInstance(units, clock));
const handler = new DiagnoseWebhookHandler(units.database, new EndpointResolver(testCipher), clock);

let tester: RequestContext;
let endpointId: WebhookEndpointId;
let secret: string;
/** What the receiver got. */
let body: string;
let headers: Readonly<Record<string, string>>;

async function endpointWithEvent(context: RequestContext) {
  const { id: sinkId, url } = await sinks.create(context);
  const { id, signingSecret: text } = await webhooks.createEndpoint(context, { url });
  await webhooks.deliver(statusChange(context));
  const [request] = (await sinks.requests(context, sinkId)).data;
  return { id, text, body: request?.body ?? "", headers: request?.headers ?? {} };
}

beforeEach(async () => {
  tester = requestContext();
  ({ id: endpointId, text: secret, body, headers } = await endpointWithEvent(tester));
});

const headerOf = (name: string) => headers[name] ?? "";
const diagnose = (change: Partial<WebhookDiagnose> = {}, context = tester) =>
  handler.diagnose(
    webhookDiagnose.parse({ endpointId, body, header: headerOf("x-service-signature"), ...change }),
    context,
  );
const standard = () => ({
  header: headerOf("webhook-signature"),
  id: headerOf("webhook-id"),
  timestamp: headerOf("webhook-timestamp"),
});

/** Makes the endpoint's second secret; the first one is retired after a day. */
async function rotate(): Promise<string> {
  const text = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
  const { keyId, ciphertext } = testCipher.encrypt(text);
  await units.database.sql(
    `with retired as (
       update endpoint_secret set retires_at = $4 where endpoint_id = $1
     )
     insert into endpoint_secret (endpoint_id, version, key_id, ciphertext, created_at)
     values ($1, 2, $2, $3, now())`,
    [uuidOf(endpointId), keyId, ciphertext, new Date(clock.now().getTime() + 86_400_000)],
  );
  return text;
}

const signedWith = (text: string, content = body) =>
  serviceSignature(signingSecret(text), Buffer.from(content));

describe("a diagnosis", () => {
  it.each(["Service", "Standard"])("finds the %s signature of what was sent valid", async (scheme) => {
    expect(await diagnose(scheme === "Standard" ? standard() : {})).toMatchObject({
      verdict: "Valid",
      scheme,
      secret: { version: 1, age: "Newest" },
      signedByEndpointId: endpointId,
      eventId: headerOf("webhook-id"),
      firstDifferentByte: null,
    });
  });

  it("finds the event by the id in the body, also for the Standard scheme", async () => {
    const { header, timestamp } = standard();
    expect(await diagnose({ header, timestamp })).toMatchObject({
      verdict: "Valid",
      eventId: headerOf("webhook-id"),
    });
  });

  it("says which of the endpoint's secrets signed, until it is retired", async () => {
    const newest = await rotate();
    const first = { header: signedWith(secret) };
    expect(await diagnose({ header: signedWith(newest) })).toMatchObject({
      verdict: "Valid",
      secret: { version: 2, age: "Newest" },
    });
    expect(await diagnose(first)).toMatchObject({
      verdict: "Valid",
      secret: { version: 1, age: "Previous" },
    });
    clock.advance(86_400_000);
    expect(await diagnose(first)).toMatchObject({
      verdict: "RetiredSecret",
      secret: { version: 1, age: "Retired" },
    });
  });

  it("knows the last 20 secrets of an endpoint, however often it was rotated", async () => {
    const texts = Array.from(
      { length: 31 },
      (_, version) => `whsec_${Buffer.alloc(32, version).toString("base64")}`,
    );
    const encrypted = texts.map((text) => testCipher.encrypt(text));
    await units.database.sql(
      `insert into endpoint_secret (endpoint_id, version, key_id, ciphertext, created_at, retires_at)
       select $1, version, key_id, ciphertext, $4, case when version < 30 then $4::timestamptz end
       from unnest($2::text[], $3::text[]) with ordinality as made (key_id, ciphertext, version)
       where version > 1
         and version <= 30`,
      [
        uuidOf(endpointId),
        encrypted.slice(1).map(({ keyId }) => keyId),
        encrypted.slice(1).map(({ ciphertext }) => ciphertext),
        clock.now(),
      ],
    );
    const verdictOf = async (version: number) =>
      (await diagnose({ header: signedWith(texts[version] ?? "") })).verdict;
    expect([await verdictOf(30), await verdictOf(29), await verdictOf(11), await verdictOf(10)]).toEqual([
      "Valid",
      "RetiredSecret",
      "RetiredSecret",
      "WrongSecret",
    ]);
  });

  it.each<[what: string, change: (sent: string) => string]>([
    ["other white space", (sent) => JSON.stringify(JSON.parse(sent), null, 2)],
    ["a line break at its end", (sent) => `${sent}\n`],
    [
      "another order of members",
      (sent) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(sent) as object).reverse())),
    ],
    ["another escape", (sent) => sent.replace("payment_order", "payment\\u005forder")],
  ])("finds a body that was re-serialized with %s", async (_what, change) => {
    for (const with_ of [{}, standard()]) {
      const diagnosis = await diagnose({ ...with_, body: change(body), id: headerOf("webhook-id") });
      expect(diagnosis).toMatchObject({
        verdict: "BodyReserialized",
        secret: { version: 1, age: "Newest" },
        signedByEndpointId: endpointId,
      });
      expect(diagnosis.firstDifferentByte).toBeGreaterThan(0);
    }
  });

  it("finds a body that was changed, and where", async () => {
    const changed = body.replace('"amountCents":1250', '"amountCents":9250');
    expect(changed).not.toBe(body);
    expect(await diagnose({ body: changed })).toMatchObject({
      verdict: "BodyAltered",
      firstDifferentByte: Buffer.byteLength(body.slice(0, body.indexOf("1250"))),
    });
    const cut = body.slice(0, 100);
    expect(await diagnose({ body: cut, id: headerOf("webhook-id") })).toMatchObject({
      verdict: "BodyAltered",
      firstDifferentByte: 100,
    });
  });

  it("finds a timestamp of more than 5 minutes ago, or ahead", async () => {
    expect((await diagnose(standard())).verdict).toBe("Valid");
    clock.advance(300_000);
    expect((await diagnose(standard())).verdict).toBe("Valid");
    clock.advance(2_000);
    expect((await diagnose(standard())).verdict).toBe("TimestampTooOld");
    const ahead = new Date(clock.now().getTime() + 400_000);
    const signed = signatureHeaders(
      [signingSecret(secret)],
      headerOf("webhook-id"),
      ahead,
      Buffer.from(body),
    );
    const timestamp = signed["webhook-timestamp"];
    const header = signed["webhook-signature"];
    expect((await diagnose({ header, timestamp })).verdict).toBe("TimestampTooNew");
  });

  it("finds the secret of another endpoint of the book", async () => {
    const other = await webhooks.createEndpoint(tester, { url: "http://127.0.0.1:9/unused" });
    const signed = { header: signedWith(other.signingSecret) };
    const verdict = { verdict: "OtherEndpoint", signedByEndpointId: other.id };
    expect(await diagnose(signed)).toMatchObject(verdict);
    expect(await diagnose({ ...signed, body: `${body} ` })).toMatchObject(verdict);
  });

  it("knows nothing of other books: their secrets are wrong, their events are not found", async () => {
    const stranger = requestContext();
    const theirs = await endpointWithEvent(stranger);
    const wrong = { verdict: "WrongSecret", secret: null, signedByEndpointId: null };
    expect(await diagnose({ header: signedWith(theirs.text) })).toMatchObject(wrong);
    expect(
      await diagnose({
        body: theirs.body,
        header: signedWith(theirs.text, theirs.body),
        id: theirs.headers["webhook-id"] ?? "",
      }),
    ).toMatchObject({ ...wrong, eventId: null, firstDifferentByte: null });
    for (const id of [theirs.id, newId("we")]) {
      await expect(diagnose({ endpointId: id })).rejects.toMatchObject({ code: "not_found" });
    }
    await expect(diagnose({}, stranger)).rejects.toMatchObject({ code: "not_found" });
  });

  it.each(["", "sha256=abc", "v1,short", "é".repeat(64), `${"a".repeat(63)}é`, ","])(
    "finds no signature in the header %j",
    async (text) => {
      expect(await diagnose({ header: ` ${text}`, timestamp: "1" })).toMatchObject({
        verdict: "MalformedHeader",
        scheme: null,
        secret: null,
      });
    },
  );

  it("finds a signature that nobody made", async () => {
    expect(await diagnose({ header: "a".repeat(64) })).toMatchObject({
      verdict: "WrongSecret",
      eventId: headerOf("webhook-id"),
      firstDifferentByte: null,
    });
    expect(await diagnose({ ...standard(), timestamp: "1" })).toMatchObject({ verdict: "WrongSecret" });
  });

  it("takes a body that is no JSON", async () => {
    for (const text of ["", "null", "[1]", "{", '{"id":5}']) {
      expect((await diagnose({ body: text })).verdict).toBe("WrongSecret");
    }
  });

  it("shows no secret", async () => {
    await rotate();
    const shown = JSON.stringify([await diagnose(), await diagnose({ header: "a".repeat(64) })]);
    expect(shown).not.toContain("whsec_");
  });

  it("takes a body of 64 KiB", () => {
    const sent = { endpointId: newId("we"), body: "é".repeat(32_768), header: "a".repeat(64) };
    expect(webhookDiagnose.safeParse(sent).success).toBe(true);
  });

  it.each<[what: string, change: object]>([
    ["a body of more than 64 KiB", { body: "x".repeat(65_537) }],
    ["a body of more than 64 KiB in fewer characters", { body: "é".repeat(32_769) }],
    ["webhook-signature without a timestamp", { header: "v1,abc" }],
    ["a timestamp that is no number of seconds", { timestamp: "2026-03-04" }],
    ["an unknown member", { secret: "whsec_x" }],
    ["another resource's id", { endpointId: newId("wh") }],
  ])("is refused for %s", (_what, change) => {
    const sent = { endpointId: newId("we"), body: "{}", header: "a".repeat(64), ...change };
    expect(webhookDiagnose.safeParse(sent).success).toBe(false);
  });
});
