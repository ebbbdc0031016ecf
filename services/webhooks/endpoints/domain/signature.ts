import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";

const prefix = "whsec_";
const secretBytes = 32;

/** A signing secret: its text as shown to the tenant, and the two keys derived from it. */
export interface SigningSecret {
  readonly text: string;
  /** The UTF-8 bytes of the whole text, prefix and all: the key of `X-Service-Signature`. */
  readonly serviceKey: KeyObject;
  /** The decoded base64 after the prefix: the key of `webhook-signature`. */
  readonly standardKey: KeyObject;
}

/** A new secret: `whsec_` and the base64 of 32 random bytes. */
export function newSigningSecret(): SigningSecret {
  return signingSecret(prefix + randomBytes(secretBytes).toString("base64"));
}

/** What a repeated request shows of a secret. */
export function maskedSecret(text: string): string {
  return `${prefix}…${text.slice(-4)}`;
}

/** Derives the keys. Throws on text that does not begin with `whsec_`; the error does not contain the text. */
export function signingSecret(text: string): SigningSecret {
  if (!text.startsWith(prefix)) throw new Error(`a signing secret begins with ${prefix}`);
  return {
    text,
    serviceKey: createSecretKey(Buffer.from(text, "utf8")),
    standardKey: createSecretKey(Buffer.from(text.slice(prefix.length), "base64")),
  };
}

export interface SignedHeaders {
  readonly "x-service-signature": string;
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
}

/**
 * Signs `body` for one attempt.
 *
 * `X-Service-Signature` is our own: lowercase hex of HMAC-SHA256 over the raw body, one per active secret,
 * comma-separated without spaces. The three `webhook-` headers are those of Standard Webhooks (standardwebhooks.com,
 * "Signature scheme"): they also sign the id and the time, so that a receiver can detect a replayed request.
 *
 * @param secrets the active secrets, newest first; at least one
 * @param eventId the same on every attempt: receivers de-duplicate by it
 */
export function signatureHeaders(
  secrets: readonly SigningSecret[],
  eventId: string,
  sentAt: Date,
  body: Buffer,
): SignedHeaders {
  if (secrets.length === 0) throw new Error("a delivery is never sent unsigned");
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  return {
    "x-service-signature": secrets.map((secret) => serviceSignature(secret, body)).join(","),
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets
      .map((secret) => standardSignature(secret, eventId, timestamp, body))
      .join(" "),
  };
}

/** Lowercase hex of HMAC-SHA256 over the raw body. */
export function serviceSignature(secret: SigningSecret, body: Buffer): string {
  return createHmac("sha256", secret.serviceKey).update(body).digest("hex");
}

/** `v1,` and the base64 of HMAC-SHA256 over id, timestamp and raw body, joined by dots. */
export function standardSignature(
  secret: SigningSecret,
  eventId: string,
  timestamp: string,
  body: Buffer,
): string {
  const digest = createHmac("sha256", secret.standardKey)
    .update(`${eventId}.${timestamp}.`)
    .update(body)
    .digest("base64");
  return `v1,${digest}`;
}
