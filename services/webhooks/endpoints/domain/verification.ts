import { timingSafeEqual } from "node:crypto";
import type { SecretAge } from "../../../../contracts/http/webhooks/signing-secrets.ts";
import { serviceSignature, type SigningSecret, standardSignature } from "./signature.ts";

/** One of an endpoint's secrets. Its id is a stored `uuid`. */
export interface KnownSecret {
  readonly endpointId: string;
  /** Counts the endpoint's secrets from 1. */
  readonly version: number;
  readonly age: SecretAge;
  readonly secret: SigningSecret;
}

interface SecretOfEndpoint {
  readonly endpoint_id: string;
  readonly version: number;
  readonly retires_at: Date | null;
}

/**
 * Secrets with their age at `now`. Those of each endpoint must come newest first. Leaves out those for which `decrypt`
 * returns undefined.
 */
export function knownSecrets<Row extends SecretOfEndpoint>(
  rows: readonly Row[],
  now: Date,
  decrypt: (row: Row) => SigningSecret | undefined,
): KnownSecret[] {
  const withNewest = new Set<string>();
  const ageOf = ({ endpoint_id: endpoint, retires_at: retiresAt }: Row): SecretAge => {
    if (retiresAt !== null && retiresAt <= now) return "Retired";
    if (withNewest.has(endpoint)) return "Previous";
    withNewest.add(endpoint);
    return "Newest";
  };
  return rows.flatMap((row) => {
    const age = ageOf(row);
    const secret = decrypt(row);
    return secret === undefined ? [] : [{ endpointId: row.endpoint_id, version: row.version, age, secret }];
  });
}

/** What only the Standard Webhooks scheme signs: `webhook-id` and `webhook-timestamp` as sent. */
export interface SentWith {
  readonly id: string;
  readonly timestamp: string;
}

export interface SignedContent {
  readonly body: Buffer;
  /** Null if it is not known. */
  readonly sentWith: SentWith | null;
}

/**
 * The signatures in a header: those of `X-Service-Signature` are hexadecimal and separated by commas, those of
 * `webhook-signature` are `v1,` and base64, separated by spaces.
 */
export function signaturesIn(header: string): { readonly service: string[]; readonly standard: string[] } {
  const texts = header.trim().split(/\s+/);
  return {
    service: texts.filter((text) => !text.includes("v1,")).flatMap((text) => text.split(",")),
    standard: texts.filter((text) => text.startsWith("v1,")),
  };
}

/** The first of these secrets that made one of the header's signatures of this content, in either scheme. */
export function signerAmong(
  secrets: readonly KnownSecret[],
  header: string,
  { body, sentWith }: SignedContent,
): KnownSecret | undefined {
  const { service, standard } = signaturesIn(header);
  return secrets.find(({ secret }) => {
    if (service.length > 0 && isAmong(service, serviceSignature(secret, body))) return true;
    if (standard.length === 0 || sentWith === null) return false;
    return isAmong(standard, standardSignature(secret, sentWith.id, sentWith.timestamp, body));
  });
}

/** Compares lengths in bytes, because `timingSafeEqual` throws on unequal ones and text may contain non-ASCII. */
function isAmong(given: readonly string[], expected: string): boolean {
  const ours = Buffer.from(expected);
  return given.some((text) => {
    const theirs = Buffer.from(text);
    return ours.length === theirs.length && timingSafeEqual(ours, theirs);
  });
}
