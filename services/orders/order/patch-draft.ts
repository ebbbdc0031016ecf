import { Refusal } from "../../../contracts/errors.ts";
import type {
  PaymentOrderCreate,
  PaymentOrderPatch,
} from "../../../contracts/http/payments/payment-orders.ts";
import type { EncryptedAccountNumber } from "../../../contracts/rails/rails.ts";
import type { OrderTerms } from "./payment-order.ts";

/** What orders are told: the account number came sealed. */
type Sealed<Body, Missing> = Omit<Body, "counterpartyAccountNumber"> & {
  readonly counterpartyAccountNumber?: EncryptedAccountNumber | Missing | undefined;
};
export type SealedPatch = Sealed<PaymentOrderPatch, null>;
export type SealedBody = Sealed<PaymentOrderCreate, never>;
type Counterparty = Pick<
  SealedBody,
  "counterpartyId" | "counterpartyName" | "counterpartyAccountNumber" | "counterpartyRoutingNumber"
>;
const inlineFields = [
  "counterpartyName",
  "counterpartyAccountNumber",
  "counterpartyRoutingNumber",
] as const satisfies readonly (keyof Counterparty)[];

/**
 * The body that would create the patched draft anew, so that it meets every rule of a creation: what is sent replaces
 * what was, null takes away (RFC 7396, in metadata too). `seal` seals the id of a Book counterparty's account, which
 * rests open. Throws `Refusal` `invalid_field`.
 */
export function patchedBody(
  stored: OrderTerms,
  patch: SealedPatch,
  seal: (text: string) => EncryptedAccountNumber,
): SealedBody {
  return {
    direction: patch.direction ?? stored.direction,
    rail: patch.rail ?? stored.rail,
    amountCents: patch.amountCents ?? stored.amountCents,
    currency: stored.currency,
    ...(patch.ledgerAccountName === undefined
      ? { ledgerAccountId: patch.ledgerAccountId ?? stored.ledgerAccountId }
      : { ledgerAccountName: patch.ledgerAccountName }),
    ...patchedCounterparty(stored, patch, seal),
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
  patch: SealedPatch,
  seal: (text: string) => EncryptedAccountNumber,
): Counterparty {
  const sent = inlineFields.filter((field) => patch[field] !== undefined && patch[field] !== null);
  const counterpartyId = merged(patch.counterpartyId, stored.counterpartyId);
  if (counterpartyId !== undefined) {
    refuseBoth(sent);
    return { counterpartyId };
  }
  const before = storedDetails(stored, patch, seal);
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
 * What the draft keeps of its counterparty. A bank account is no account of the book and the other way round, so a
 * change to or from Book keeps nothing; nor do details outlive the counterpartyId that they were copied by.
 */
function storedDetails(
  stored: OrderTerms,
  patch: SealedPatch,
  seal: (text: string) => EncryptedAccountNumber,
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
  // Another account brings its own name with it.
  if (patch.counterpartyAccountNumber !== undefined || stored.counterpartyLedgerAccountId === null) return {};
  return {
    counterpartyName: stored.counterpartyName ?? undefined,
    counterpartyAccountNumber: seal(stored.counterpartyLedgerAccountId),
  };
}

function refuseBoth(sent: readonly string[]): void {
  if (sent.length === 0) return;
  throw new Refusal(
    "invalid_field",
    "A counterparty is named by counterpartyId or by its details. Send one of the two, and counterpartyId: null to change from the one to the other.",
    {
      errors: sent.map((field) => ({
        pointer: `/${field}`,
        code: "invalid_field",
        message: "stands beside counterpartyId",
      })),
    },
  );
}

const maxMetadataPairs = 50;

function patchedMetadata(
  stored: OrderTerms["metadata"],
  sent: PaymentOrderPatch["metadata"],
): Record<string, string> {
  if (sent === null) return {};
  const pairs = Object.entries({ ...stored, ...sent }).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  );
  if (pairs.length <= maxMetadataPairs) return Object.fromEntries(pairs);
  throw new Refusal("invalid_field", "Metadata holds at most 50 pairs. Take some away with null.", {
    errors: [{ pointer: "/metadata", code: "invalid_field", message: "would hold more than 50 pairs" }],
  });
}
