import { randomBytes } from "node:crypto";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { describe, expect, it } from "vitest";
import type { Problem } from "../../../contracts/http/problem.ts";
import { type LedgerAccountId, newId, newUuid } from "../../../contracts/ids/ids.ts";
import { PlaceHold } from "../../../contracts/messages/ledger.ts";
import { suspendTenant } from "../../../services/api-gateway/tenants/suspend-tenant.ts";
import { createMessage } from "../../../services/platform/messages/message.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { databaseUrlOf, natsAs, rowCounts, seedOtherTenant } from "../../world/system/operator.ts";
import { patienceMs, until } from "../../stack/until.ts";
import { usd } from "../../world/usd.ts";
import { OwnWorld } from "../../world/system/own-world.ts";
import { openUnits } from "../../stack/database/units.ts";
import { controls } from "./bad-payments.ts";
import {
  amounts,
  type BadRequest,
  callers,
  elsewhere,
  good,
  members,
  post,
  type Sent,
  shapes,
} from "./bad-requests.ts";

const world = await forThisFile(OwnWorld.start());
const operator = await forThisFile(natsAs(world, "operator"));
const payer = await world.payerNamed("Operating");
await world.post("/v1/ledger-accounts", { name: "Assets", normalBalance: "Debit" });

async function send(sent: Sent): Promise<{ status: number; contentType: string; problem: Problem }> {
  const { as = "maker" } = sent;
  const response = await fetch(`${world.baseUrl()}${sent.path ?? "/v1/payment-orders"}`, {
    method: sent.method ?? "POST",
    headers: {
      ...(as === null ? {} : { "x-api-key": world.tenant.keys[as] }),
      ...(sent.body === undefined ? {} : { "content-type": "application/json" }),
      ...sent.headers,
    },
    ...(sent.body === undefined ? {} : { body: sent.body }),
  });
  const contentType = response.headers.get("content-type") ?? "";
  return { status: response.status, contentType, problem: (await response.json()) as Problem };
}

/** Sends it, and returns the answer and the tables, of any service, whose number of rows changed. */
async function outcomeOf(sent: Sent): Promise<{ answer: unknown; problem: Problem; written: unknown }> {
  const before = await rowCounts(world);
  const { status, contentType, problem } = await send(sent);
  const after = await rowCounts(world);
  const written = Object.entries(after).filter(([table, rows]) => rows !== before[table]);
  return { answer: { status, contentType, code: problem.code }, problem, written };
}

const refusal = (status: number, code: string) => ({
  status,
  contentType: "application/problem+json; charset=utf-8",
  code,
});

const rows = (tables: Record<string, readonly BadRequest[]>) =>
  Object.entries(tables).flatMap(([about, table]) =>
    table.map((refused) => [`${about}: ${refused[0]}`, refused] as const),
  );

describe("nothing is written, and nothing is a 500", () => {
  it.each(rows({ callers, shapes, amounts, members, controls, elsewhere }))(
    "%s",
    async (_what, [, sent, status, code, pointer]) => {
      const { answer, problem, written } = await outcomeOf(sent);
      expect(answer).toEqual(refusal(status, code));
      expect(problem).toMatchObject({
        status,
        detail: expect.stringMatching(/\w/),
        requestId: expect.stringMatching(/^req_/),
        retryable: false,
      });
      expect(pointer === undefined ? undefined : problem.errors?.[0]?.pointer).toBe(pointer);
      expect(written).toEqual([]);
    },
  );

  it("a key with a typo", async () => {
    const { maker } = world.tenant.keys;
    const typo = `${maker.slice(0, -1)}${maker.endsWith("a") ? "b" : "a"}`;
    const { answer, written } = await outcomeOf({ ...post({}), headers: { "x-api-key": typo } });
    expect(answer).toEqual(refusal(401, "api_key_invalid"));
    expect(written).toEqual([]);
  });

  it("lists every error of a body at once", async () => {
    const { problem } = await send(post({ amountCents: 0, direction: "credit", rail: "ACH" }));
    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`).sort()).toEqual([
      "/amountCents invalid_field",
      "/direction invalid_field",
      "/rail invalid_field",
    ]);
  });

  it("stores a provisional amount in a Draft, and refuses it at submission", async () => {
    const draft = await world.post<{ id: string }>(
      "/v1/payment-orders",
      good({ basis: "Demo", submit: false }),
    );
    expect(draft.status).toBe(201);
    const before = await rowCounts(world);
    const refused = await world.post<Problem>(`/v1/payment-orders/${draft.body.id}/submit`);
    expect([refused.status, refused.body.code]).toEqual([422, "basis_is_demo_data"]);
    expect(await rowCounts(world)).toEqual(before);
  });
});

describe("a suspended tenant", () => {
  it("is refused in both modes and with every key, and other tenants are not", async () => {
    const neighbour = await seedOtherTenant(world, "Suspended");
    const read = (key: string) => world.send(key, "GET", "/v1/payment-orders");
    expect((await read(neighbour.keys.maker)).status).toBe(200);

    const gateway = await openUnits(databaseUrlOf(world, "gateway"));
    await gateway.units.run((unit) => suspendTenant(unit, neighbour.tenant.id));
    await gateway.close();
    const shutOut = await until("the suspension has taken effect", async () => {
      const answer = await read(neighbour.keys.maker);
      return answer.status === 401 ? answer : undefined;
    });
    expect(shutOut.body).toMatchObject({ code: "tenant_inactive", retryable: false });
    expect((await read(neighbour.keys.live)).body).toMatchObject({ code: "tenant_inactive" });
    expect((await read(world.tenant.keys.maker)).status).toBe(200);
  });
});

describe("a message published directly to the ledger", () => {
  const journals = async () => (await world.rows("select book_id, seq from ledger.journal")).length;
  const entries = async () => (await world.rows("select book_id, seq, line from ledger.entry")).length;

  it("is refused when it pays an account from itself, and writes nothing", async () => {
    const before = [await journals(), await entries()];
    const own = payer.accountId as LedgerAccountId;
    const message = createMessage(PlaceHold, {
      book: world.tenant.tenant.testBook as `book_${string}`,
      subject: "from itself",
      data: {
        commandId: newUuid(),
        orderId: newId("po"),
        tenantId: world.tenant.tenant.id,
        mode: "Test",
        direction: "Credit",
        amountCents: 500,
        currency: "USD",
        ledgerAccountId: own,
        contra: { kind: "LedgerAccount", ledgerAccountId: own },
        effectiveAt: new Date().toISOString(),
      },
    });
    await jetstream(operator, { timeout: patienceMs }).publish(
      `${PlaceHold.subject}.p00`,
      JSON.stringify({ messages: [message] }),
    );

    const refusal = await until("the ledger's refusal", async () => {
      const rows = await world.rows<{ message: string }>(
        "select message from ledger.outbox where message like $1",
        [`%${message.data.commandId}%`],
      );
      return rows[0] === undefined
        ? undefined
        : (JSON.parse(rows[0].message) as { type: string; data: unknown });
    });
    expect(refusal.type).toBe("ledger.hold-refused.v1");
    expect(refusal.data).toMatchObject({ code: "same_account", orderId: message.data.orderId });
    expect([await journals(), await entries()]).toEqual(before);
    expect((await payer.balance()).posted).toBe(0);
  });

  it("is dead-lettered with its reason when it fits no schema, and later messages are handled", async () => {
    const mark = randomBytes(8).toString("hex");
    const broken = createMessage(PlaceHold, {
      book: world.tenant.tenant.testBook as `book_${string}`,
      subject: mark,
      data: {
        commandId: newUuid(),
        orderId: newId("po"),
        tenantId: world.tenant.tenant.id,
        mode: "Test",
        direction: "Credit",
        amountCents: 100,
        currency: "USD",
        ledgerAccountId: payer.accountId as LedgerAccountId,
        contra: { kind: "SettlementCash" },
        effectiveAt: new Date().toISOString(),
      },
    });
    const messages = [{ ...broken, data: { ...broken.data, amountCents: 10.5, direction: "credit" } }];
    const before = [await journals(), await entries()];
    await jetstream(operator, { timeout: patienceMs }).publish(
      `${PlaceHold.subject}.p00`,
      JSON.stringify({ messages }),
    );
    await jetstream(operator, { timeout: patienceMs }).publish(
      `${PlaceHold.subject}.p00`,
      `not JSON at all ${mark}`,
    );

    const letters = await until("two dead letters", async () => {
      const dead = await deadLetters(operator);
      const ours = dead.filter((letter) => JSON.stringify(letter).includes(mark));
      return ours.length === 2 ? ours : undefined;
    });
    expect(letters).toEqual([
      {
        subject: "cmd.ledger.place-hold.v1.p00",
        streamSequence: expect.any(Number),
        at: expect.any(String),
        reason: expect.stringMatching(/direction: .*amountCents: |amountCents: .*direction: /s),
        message: messages[0],
      },
      {
        subject: "cmd.ledger.place-hold.v1.p00",
        streamSequence: expect.any(Number),
        at: expect.any(String),
        reason: "the message is not JSON",
        message: `not JSON at all ${mark}`,
      },
    ]);
    expect([await journals(), await entries()]).toEqual(before);

    const order = await payer.pays(usd("1.00"));
    expect((await world.comesToRest(order.id)).status).toBe("Completed");
  });

  it("is refused by the server when it comes from webhooks' own user", async () => {
    const webhooks = await natsAs(world, "webhooks");
    const refused = until("the server's refusal", async () => {
      for await (const status of webhooks.status()) {
        if (status.type === "error") return String(status.error);
      }
      return undefined;
    });
    webhooks.publish(`${PlaceHold.subject}.p00`, "{}");
    expect(await refused).toMatch(/permissions violation.*publish.*cmd\.ledger\.place-hold/i);
    await webhooks.close();
  });
});

/** The dead letters so far, oldest first. */
async function deadLetters(nats: NatsConnection): Promise<unknown[]> {
  const manager = await jetstreamManager(nats, { timeout: patienceMs });
  const { state } = await manager.streams.info("DLQ");
  const letters: unknown[] = [];
  for (let seq = state.first_seq; state.messages > 0 && seq <= state.last_seq; seq += 1) {
    const message = await manager.streams.getMessage("DLQ", { seq });
    letters.push(message?.json());
  }
  return letters;
}
