import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { bookIdOf, newId, newUuid, type PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { createDatabase } from "../../../test/stack/servers/database.ts";
import { openUnits, type TestUnits } from "../../../test/stack/units.ts";
import { AccountNumberCipher } from "../../platform/encryption/account-number-cipher.ts";
import type { Inquiry, Submission } from "./rail-adapter.ts";
import { SimulatedRail } from "./simulated-rail.ts";

const seals = new AccountNumberCipher(`k1:${randomBytes(32).toString("base64")}`);
const book = bookIdOf(newId("ten"), "Test");
const about = (subject: PaymentOrderId) => ({
  id: newUuid(),
  time: "2026-07-01T12:00:00.000Z",
  book,
  subject,
  correlationid: "req_1",
});

const submissionOf = (orderId: PaymentOrderId): Submission => ({
  ...about(orderId),
  type: "rails.submit-instruction.v1",
  data: {
    orderId,
    mode: "Test",
    rail: "Rtp",
    direction: "Credit",
    amountCents: 4_000,
    currency: "USD",
    counterpartyName: "Jane Receiver",
    counterpartyAccountNumber: seals.encrypt("123456789"),
    counterpartyRoutingNumber: "790001005",
  },
});
const inquiryOf = (orderId: PaymentOrderId): Inquiry => ({
  ...about(orderId),
  type: "rails.inquire-instruction.v1",
  data: { orderId },
});

it("two instances never wait for each other when their batches cross: each locks once, in id order", async () => {
  const server = await createDatabase("rails");
  const instances = await Promise.all([0, 1].map(() => openUnits(server.urlOf("rails"))));
  try {
    const rail = new SimulatedRail(seals);
    const [low, high] = [newId("po"), newId("po")];
    /** One order handed off again, one new, and two asked for. */
    const take = (at: TestUnits, again: PaymentOrderId, asked: PaymentOrderId) =>
      at.units.run((unit) => {
        const fresh = newId("po");
        const submissions = [submissionOf(again), submissionOf(fresh)];
        return rail.take({ submissions, inquiries: [inquiryOf(asked), inquiryOf(fresh)] }, unit);
      });
    const [here, there] = instances as [TestUnits, TestUnits];
    await take(here, low, high);
    await take(here, high, low);
    for (let round = 0; round < 40; round += 1) {
      // Locked in two passes, these wait for each other within a few rounds: `deadlock detected`.
      await expect(Promise.all([take(here, high, low), take(there, low, high)])).resolves.toBeDefined();
    }
  } finally {
    await Promise.all(instances.map((instance) => instance.close()));
    await server.drop();
  }
});
