import { describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { checkDigitOf } from "../../../contracts/virtual-number.ts";
import { inquiryOf, submissionOf, testEncryptionKeys } from "../../../test/stack/services/rails.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { Submission } from "./rail-adapter.ts";
import { publishDue } from "./run-due-steps.worker.ts";
import { noFaultRules } from "./fault-rules.ts";
import { SimulatedRail } from "./simulated-rail.ts";

const cipher = new SecretCipher(testEncryptionKeys);
const rail = new SimulatedRail(cipher, noFaultRules);
const start = new Date("2026-07-01T12:00:00.000Z");
const later = (ms: number) => new Date(start.getTime() + ms);
const bank = await forThisFile(openFreshUnits("rails"));
const submit = (...submissions: Submission[]) =>
  bank.units.run((unit) => rail.take({ submissions, inquiries: [] }, unit, start));

describe("an RTP credit to a virtual account", () => {
  const tenantId = newId("ten");
  const own = bookIdOf(tenantId, "Test");
  const number = `1234567890123456${checkDigitOf("1234567890123456")}`;
  const wrong = `1234567890123456${checkDigitOf("2345678901234561")}`;
  const originator = { tenantId, name: "Operating" };
  const pay = (accountNumber: string, data: Partial<Submission["data"]> = {}) =>
    submissionOf(own, { originator, ...data }, accountNumber);
  const inbound = async () =>
    (await bank.takeMessages()).filter(({ type }) => type === "rails.inbound-received.v1");

  it("comes in when it settles, as a payment of its own", async () => {
    const payment = pay(number);
    await submit(payment);
    const [received, ...more] = await inbound();
    expect(more).toEqual([]);
    expect(received).toMatchObject({
      book: own,
      causationid: payment.id,
      data: {
        tenantId,
        mode: "Test",
        rail: "Rtp",
        direction: "Credit",
        amountCents: 4_000,
        originatorName: "Operating",
        accountNumber: { last4: number.slice(-4) },
        occurredAt: "2026-07-01T12:00:00.000Z",
      },
    });
    const [booked] = await bank.database.sql<{ bank_reference: string; reference: string }>(
      `select t.bank_reference, t.rail, t.direction, t.amount_cents, t.originator_name, m.reference
       from bank_movement m
       join inbound_transfer t using (book_id)
       where m.order_id = $1`,
      [uuidOf(payment.data.orderId)],
    );
    expect(booked).toMatchObject({ rail: "Rtp", direction: "Credit", amount_cents: 4_000n });
    expect(booked).toMatchObject({ originator_name: "Operating", bank_reference: received?.subject });
    expect(booked?.bank_reference).toMatch(/^[0-9A-F]{32}$/);
    expect(booked?.bank_reference).not.toBe(booked?.reference);
  });

  it("comes in once, however often it is handed off or inquired", async () => {
    const payment = pay(number);
    await submit(payment);
    await submit(payment);
    const inquiries = [inquiryOf(payment)];
    await bank.units.run((unit) => rail.take({ submissions: [], inquiries }, unit, later(1_000)));
    expect(await inbound()).toHaveLength(1);
  });

  it.each([
    ["another bank's routing number", number, { counterpartyRoutingNumber: "021000021" }],
    ["a wrong check digit", wrong, {}],
    ["a shorter number", "123456789", {}],
    ["another rail", number, { rail: "Wire" }],
    ["a hand-off of an earlier version", number, { originator: undefined }],
  ] as const)("does not come in with %s", async (_what, accountNumber, data) => {
    await submit(pay(accountNumber, data as Partial<Submission["data"]>));
    await bank.units.run((unit) => publishDue(unit, cipher, later(10_000)));
    expect(await inbound()).toEqual([]);
  });
});
