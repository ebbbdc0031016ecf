import { Refusal } from "../../../contracts/errors.ts";
import type {
  PaymentOrderCreate,
  PaymentOrderPatch,
} from "../../../contracts/http/payments/payment-orders.ts";
import { patchedMetadata } from "../../../contracts/http/patched-metadata.ts";
import type { EncryptedAccountNumber } from "../../../contracts/rails/rails.ts";
import type { OrderTerms } from "./payment-order.ts";

/** A body as orders receive it: the gateway has encrypted the account number. */
type Encrypted<Body, Missing> = Omit<Body, "counterpartyAccountNumber"> & {
  readonly counterpartyAccountNumber?: EncryptedAccountNumber | Missing | undefined;
};
export type EncryptedPatch = Encrypted<PaymentOrderPatch, null>;
export type EncryptedBody = Encrypted<PaymentOrderCreate, never>;
type Counterparty = Pick<
  EncryptedBody,
  "counterpartyId" | "counterpartyName" | "counterpartyAccountNumber" | "counterpartyRoutingNumber"
>;
const inlineFields = [
  "counterpartyName",
  "counterpartyAccountNumber",
  "counterpartyRoutingNumber",
] as const satisfies readonly (keyof Counterparty)[];

/**
 * The body that would create the patched Draft, so that it meets every rule of a creation. A field that is sent
 * replaces the stored one, and null removes it (RFC 7396, in metadata too). `encrypt` encrypts the account id of a Book
 * counterparty, which is stored in clear. Refusals: `invalid_field`.
 */
export function patchedBody(
  stored: OrderTerms,
  patch: EncryptedPatch,
  encrypt: (text: string) => EncryptedAccountNumber,
): EncryptedBody {
  return {
    direction: patch.direction ?? stored.direction,
    rail: patch.rail ?? stored.rail,
    amountCents: patch.amountCents ?? stored.amountCents,
    currency: stored.currency,
    ...(patch.ledgerAccountName === undefined
      ? { ledgerAccountId: patch.ledgerAccountId ?? stored.ledgerAccountId }
      : { ledgerAccountName: patch.ledgerAccountName }),
    ...patchedCounterparty(stored, patch, encrypt),
    externalId: merged(patch.externalId, stored.externalId),
    description: merged(patch.description, stored.description),
    statementDescriptor: merged(patch.statementDescriptor, stored.statementDescriptor),
    effectiveDate: merged(patch.effectiveDate, stored.effectiveDate),
    purpose: merged(patch.purpose, stored.purpose),
    basis: patch.basis ?? stored.basis,
    metadata: patchedMetadata(stored.metadata, patch.metadata),
  };
}

function merged<T>(sent: T | null | undefined, stored: T | null): T | undefined {
  return (sent === undefined ? stored : sent) ?? undefined;
}

function patchedCounterparty(
  stored: OrderTerms,
  patch: EncryptedPatch,
  encrypt: (text: string) => EncryptedAccountNumber,
): Counterparty {
  const sent = inlineFields.filter((field) => patch[field] !== undefined && patch[field] !== null);
  const counterpartyId = merged(patch.counterpartyId, stored.counterpartyId);
  if (counterpartyId !== undefined) {
    refuseBoth(sent);
    return { counterpartyId };
  }
  const before = storedDetails(stored, patch, encrypt);
  return {
    counterpartyName: merged(patch.counterpartyName, before.counterpartyName ?? null),
    counterpartyAccountNumber: merged(
      patch.counterpartyAccountNumber,
      before.counterpartyAccountNumber ?? null,
    ),
    counterpartyRoutingNumber: merged(
      patch.counterpartyRoutingNumber,
      before.counterpartyRoutingNumber ?? null,
    ),
  };
}

/**
 * The stored details of the counterparty that the patch leaves in place. A change from or to Book keeps none, because
 * a bank account is no account of the book. Details copied from a counterparty are not kept without its
 * counterpartyId.
 */
function storedDetails(
  stored: OrderTerms,
  patch: EncryptedPatch,
  encrypt: (text: string) => EncryptedAccountNumber,
): Counterparty {
  const wasBook = stored.rail === "Book";
  const isBook = (patch.rail ?? stored.rail) === "Book";
  if (wasBook !== isBook || stored.counterpartyId !== null) return {};
  if (!isBook) {
    return {
      counterpartyName: stored.counterpartyName ?? undefined,
      counterpartyAccountNumber: stored.counterpartyAccount ?? undefined,
      counterpartyRoutingNumber: stored.counterpartyRoutingNumber ?? undefined,
    };
  }
  // The stored name is the name of the stored account, so it is not kept for another one.
  if (patch.counterpartyAccountNumber !== undefined || stored.counterpartyLedgerAccountId === null) return {};
  return {
    counterpartyName: stored.counterpartyName ?? undefined,
    counterpartyAccountNumber: encrypt(stored.counterpartyLedgerAccountId),
  };
}

function refuseBoth(sent: readonly string[]): void {
  if (sent.length === 0) return;
  throw new Refusal(
    "invalid_field",
    "Send either counterpartyId or the counterparty's details, not both. To change from one to the other, send counterpartyId: null.",
    {
      errors: sent.map((field) => ({
        pointer: `/${field}`,
        code: "invalid_field",
        message: "cannot be combined with counterpartyId",
      })),
    },
  );
}
