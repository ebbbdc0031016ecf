import { hash } from "node:crypto";
import { z } from "zod";
import { isSuffix, suffixOf, uuidOfSuffix } from "./typeid.ts";
import { uuid7 } from "./uuid7.ts";

/** Resource → TypeID prefix. Messages carry ids as `po_01h…`; tables store them as `uuid`. */
export const idPrefixes = {
  paymentOrder: "po",
  ledgerAccount: "la",
  ledgerTransaction: "lt",
  ledgerEntry: "le",
  virtualAccount: "va",
  inboundPayment: "ip",
  obligation: "ob",
  reconciliation: "rec",
  bankStatement: "stm",
  bankStatementFault: "bsf",
  clockAdvance: "adv",
  injection: "inj",
  counterparty: "cp",
  proposedChange: "chg",
  return: "ret",
  webhookEndpoint: "we",
  webhookDelivery: "wh",
  event: "evt",
  replay: "rpl",
  testSink: "sink",
  apiKey: "key",
  proposal: "prop",
  person: "per",
  session: "ses",
  auditEntry: "aud",
  passkey: "pky",
  stepUp: "sup",
  tenant: "ten",
  book: "book",
  request: "req",
} as const;

export type IdPrefix = (typeof idPrefixes)[keyof typeof idPrefixes];
export type Id<P extends IdPrefix> = `${P}_${string}`;
export type PaymentOrderId = Id<"po">;
export type LedgerAccountId = Id<"la">;
export type LedgerTransactionId = Id<"lt">;
export type LedgerEntryId = Id<"le">;
export type VirtualAccountId = Id<"va">;
export type InboundPaymentId = Id<"ip">;
export type ObligationId = Id<"ob">;
export type ReconciliationId = Id<"rec">;
export type BankStatementId = Id<"stm">;
export type BankStatementFaultId = Id<"bsf">;
export type ClockAdvanceId = Id<"adv">;
export type InjectionId = Id<"inj">;
export type CounterpartyId = Id<"cp">;
export type ProposedChangeId = Id<"chg">;
export type ProposalId = Id<"prop">;
export type ReturnId = Id<"ret">;
export type WebhookEndpointId = Id<"we">;
export type WebhookDeliveryId = Id<"wh">;
export type EventId = Id<"evt">;
export type ReplayId = Id<"rpl">;
export type TestSinkId = Id<"sink">;
export type ApiKeyId = Id<"key">;
export type PersonId = Id<"per">;
export type SessionId = Id<"ses">;
export type AuditEntryId = Id<"aud">;
export type PasskeyId = Id<"pky">;
export type StepUpId = Id<"sup">;
export type TenantId = Id<"ten">;
/** A book is one tenant in one mode. Books share nothing. */
export type BookId = Id<"book">;
export type RequestId = Id<"req">;

export type Mode = "Test" | "Live";

/** Makes an id that sorts by its time of creation (UUIDv7). */
export function newId<P extends IdPrefix>(prefix: P): Id<P> {
  return idOf(prefix, uuid7());
}

/** The public form of a stored `uuid`. */
export function idOf<P extends IdPrefix>(prefix: P, uuid: string): Id<P> {
  return `${prefix}_${suffixOf(uuid)}`;
}

/** The stored form of an id. Throws when the text is not a TypeID: parse input with `idSchema` first. */
export function uuidOf(id: Id<IdPrefix>): string {
  return uuidOfSuffix(id.slice(id.indexOf("_") + 1));
}

/** The creation time of an id: UUIDv7 begins with the milliseconds since 1970. */
export function creationTimeOf(id: Id<IdPrefix>): Date {
  return new Date(Number.parseInt(uuidOf(id).replace("-", "").slice(0, 12), 16));
}

/** The lowest UUIDv7 of a time: exactly the ids that were made earlier are lower. */
export function lowestUuidAt(time: Date): string {
  const ms = Math.min(Math.max(time.getTime(), 0), 2 ** 48 - 1);
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** True when `text` is a well-formed id of that resource. Another resource's id is not: the API answers 404. */
export function isId<P extends IdPrefix>(prefix: P, text: string): text is Id<P> {
  return text.startsWith(`${prefix}_`) && isSuffix(text.slice(prefix.length + 1));
}

export function idSchema<P extends IdPrefix>(prefix: P) {
  return z
    .custom<Id<P>>((value) => typeof value === "string" && isId(prefix, value), {
      message: `must be an id that begins with ${prefix}_`,
    })
    .meta({ type: "string", pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, ...describeId(prefix) });
}

export function describeId(prefix: IdPrefix): { description: string; examples: string[] } {
  const [resource = ""] = Object.entries(idPrefixes).find(([, each]) => each === prefix) ?? [];
  const words =
    resource === "apiKey" ? "API key" : resource.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return { description: `The ${words}'s id.`, examples: [`${prefix}_01jd3k5s8ye9v8z2r0q3m7n4xa`] };
}

const derivedIds = Buffer.from("5b1fa2ab6bbd5f0a9a6b0d6a3b1f6a11", "hex");

/** The book of a tenant in a mode. It is derived, so every service knows it without a request. */
export function bookIdOf(tenantId: TenantId, mode: Mode): BookId {
  return idOf("book", derivedUuid(tenantId, mode));
}

/** UUIDv5 of a subject and a step: every retry of the step has the same command id. */
export function derivedUuid(subject: string, step: string): string {
  const name = Buffer.concat([derivedIds, Buffer.from(`${subject}/${step}`)]);
  // RFC 9562, 5.5: the first 128 bits of SHA-1 with version and variant set. The uuid package takes 9 µs, this 2.
  const bytes = hash("sha1", name, "buffer");
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex", 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Makes a time-ordered `uuid` for messages and commands, which have no public id. */
export function newUuid(): string {
  return uuid7();
}
