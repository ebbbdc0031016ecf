/** Instructions for tests of the simulated rails, and the events that the rails publish. */
import { randomBytes } from "node:crypto";
import {
  type BookId,
  bookIdOf,
  type Mode,
  newId,
  newUuid,
  type TenantId,
} from "../../../contracts/ids/ids.ts";
import type { StatementPart } from "../../../contracts/messages/bank-statements.ts";
import type { RequestContext } from "../../../services/platform/handlers/decorators.ts";
import { SecretCipher } from "../../../services/platform/encryption/secret-cipher.ts";
import type { Inquiry, Submission } from "../../../services/rails-simulator/instructions/rail-adapter.ts";
import type { TestUnits } from "../database/units.ts";

export const testEncryptionKeys = `k1:${randomBytes(32).toString("base64")}`;
const cipher = new SecretCipher(testEncryptionKeys);

/** A Credit of $40.00 over RTP for a new order, unless `data` says otherwise. */
export function submissionOf(
  book: BookId,
  data: Partial<Submission["data"]> = {},
  accountNumber = "123456789",
): Submission {
  const orderId = data.orderId ?? newId("po");
  return {
    id: newUuid(),
    type: "rails.submit-instruction.v1",
    time: "2026-07-01T12:00:00.000Z",
    book,
    subject: orderId,
    correlationid: "req_of_the_tenant",
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    data: {
      orderId,
      mode: "Test",
      rail: "Rtp",
      direction: "Credit",
      amountCents: 4_000,
      currency: "USD",
      counterpartyName: "Jane Receiver",
      counterpartyAccountNumber: cipher.encrypt(accountNumber),
      counterpartyRoutingNumber: "790001005",
      ...data,
    },
  };
}

export function inquiryOf({ book, time, data: { orderId, mode, rail } }: Submission): Inquiry {
  return {
    id: newUuid(),
    type: "rails.inquire-instruction.v1",
    time,
    book,
    subject: orderId,
    correlationid: "req_of_the_inquiry",
    data: { orderId, mode, rail },
  };
}

/** The events that were published since the last call: `number kind`, and the code if there is one. */
export async function newRailEvents(bank: TestUnits): Promise<string[]> {
  const events = await bank.takeMessages();
  return events.map(({ type, data }) => {
    const { number, code } = data as { number?: number; code?: string };
    return [number, railEventKind(type), code].filter((field) => field !== undefined).join(" ");
  });
}

/** A request of the ledger about a tenant's book. */
export function ledgerContext(tenant: TenantId, mode: Mode): RequestContext {
  const book = bookIdOf(tenant, "Test");
  const caller = { book, tenant, mode, principal: "ledger", requestId: "req_1" };
  return { caller, correlationid: "req_1" };
}

/** A statement's number, date, opening and closing balance, and the amounts of its lines; out is negative. */
export const summary = ({ statement, lines }: StatementPart) => [
  statement.number,
  statement.date,
  statement.openingBalanceCents,
  statement.closingBalanceCents,
  lines.map(({ side, amountCents }) => (side === "In" ? amountCents : -amountCents)),
];

/** `settled` for `rails.instruction-settled.v1`. */
export function railEventKind(type: string): string {
  return type.replace(/^rails\.instruction-(.*)\.v1$/, "$1");
}
