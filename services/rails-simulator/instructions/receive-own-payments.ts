import type { TenantId } from "../../../contracts/ids/ids.ts";
import { InboundReceived } from "../../../contracts/messages/inbound.ts";
import type { EncryptedAccountNumber } from "../../../contracts/rails/rails.ts";
import {
  isVirtualNumber,
  virtualNumberDigits,
  virtualRoutingNumber,
} from "../../../contracts/virtual-number.ts";
import type { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { Cause } from "../../platform/messages/message.ts";
import type { Instruction } from "./domain/instruction.ts";
import { railReferenceOf, referenceText } from "./domain/rail-references.ts";
import type { RailReport } from "./publish-rail-events.ts";
import { readRoutes } from "./store/instructions.ts";
import { insertOnce } from "./store/inbound-transfers.ts";

/** A payment that has settled, with what its receiver's bank gets of it. */
export interface SettledPayment {
  readonly instruction: Instruction;
  readonly routingNumber: string;
  readonly accountNumber: Pick<EncryptedAccountNumber, "keyId" | "ciphertext">;
  readonly originator: { readonly tenantId: TenantId; readonly name: string };
  readonly settledAt: Date;
  readonly cause: Cause;
}

/**
 * Books those of the payments that are RTP credits to a virtual account's number, and publishes `InboundReceived`: the
 * simulated bank has those numbers, so the money that leaves the payer's account comes in again. The ledger decides
 * whose number it is. Only RTP, because what it settles is final; a returned ACH payment would have to go out again.
 */
export async function receiveOwnPayments(
  { sql, outbox }: UnitOfWork,
  cipher: SecretCipher,
  payments: readonly SettledPayment[],
): Promise<void> {
  for (const { instruction, originator, settledAt, cause, ...to } of payments) {
    const number = virtualNumberOf(instruction, to, cipher);
    if (number === null) continue;
    const { book, orderId, rail, direction, amountCents } = instruction;
    const reference = railReferenceOf(rail, `${orderId}/inbound`, settledAt);
    const accountNumber = cipher.encrypt(number);
    const transfer = {
      bankReference: referenceText(reference),
      rail: "Rtp",
      direction,
      amountCents,
      originatorName: originator.name,
    } as const;
    await insertOnce(sql, { ...transfer, book, accountNumber, occurredAt: settledAt });
    const occurredAt = settledAt.toISOString();
    const { tenantId } = originator;
    outbox.add(InboundReceived, {
      book,
      subject: transfer.bankReference,
      data: { ...transfer, accountNumber, tenantId, mode: "Test", currency: "USD", occurredAt },
      cause,
    });
  }
}

/** The same for payments that settle after their hand-off, as the rail reports them. */
export async function receiveSettled(
  unit: UnitOfWork,
  cipher: SecretCipher,
  reports: readonly RailReport[],
): Promise<void> {
  const settled = reports.flatMap((report) => {
    const settlement = report.now.find(({ event }) => event.kind === "Settled");
    const { rail, direction } = report.instruction;
    return settlement === undefined || rail !== "Rtp" || direction !== "Credit"
      ? []
      : [{ ...report, settledAt: settlement.occurredAt }];
  });
  if (settled.length === 0) return;
  const routes = await readRoutes(
    unit.sql,
    settled.map(({ instruction }) => instruction.orderId),
  );
  const payments = settled.flatMap(({ instruction, settledAt, cause }) => {
    const route = routes.get(instruction.orderId);
    if (route?.originator === undefined) return [];
    const { originator, counterpartyRoutingNumber, counterpartyAccountNumber } = route;
    const to = { routingNumber: counterpartyRoutingNumber, accountNumber: counterpartyAccountNumber };
    return [{ instruction, ...to, originator, settledAt, cause }];
  });
  await receiveOwnPayments(unit, cipher, payments);
}

/** The virtual account's number that the payment went to, or null. Most payments need no decryption. */
function virtualNumberOf(
  { rail, direction }: Instruction,
  { routingNumber, accountNumber }: Pick<SettledPayment, "routingNumber" | "accountNumber">,
  cipher: SecretCipher,
): string | null {
  if (rail !== "Rtp" || direction !== "Credit" || routingNumber !== virtualRoutingNumber) return null;
  if (cipher.lengthOf(accountNumber) !== virtualNumberDigits) return null;
  const number = cipher.decrypt(accountNumber);
  return isVirtualNumber(number) ? number : null;
}
