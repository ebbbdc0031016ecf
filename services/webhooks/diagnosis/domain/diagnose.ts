import type { SignatureScheme, WebhookVerdict } from "../../../../contracts/http/webhooks/diagnosis.ts";
import { type KnownSecret, signaturesIn } from "../../endpoints/domain/verification.ts";

/** The tolerance of Standard Webhooks (standardwebhooks.com, "Verifying webhook authenticity"). */
const toleranceSeconds = 5 * 60;

export interface Received {
  /** A stored `uuid`. */
  readonly endpointId: string;
  readonly header: string;
  readonly body: Buffer;
  /** `webhook-timestamp`, if it is known. */
  readonly timestamp: string | undefined;
}

interface Known {
  /** Finds which of the latest secrets of all endpoints of the book made the signature of a body. */
  readonly signerOf: (body: Buffer) => Promise<KnownSecret | undefined>;
  /** The event's bytes as they were sent, one for each version of the API. */
  readonly sentBodies: readonly Buffer[];
  readonly now: Date;
}

export interface Diagnosis {
  readonly verdict: WebhookVerdict;
  readonly scheme: SignatureScheme | null;
  readonly signer: KnownSecret | undefined;
  readonly firstDifferentByte: number | null;
}

/** Says whether a signature is valid for this body, and if not, what it is a signature of. */
export async function diagnose(received: Received, { signerOf, sentBodies, now }: Known): Promise<Diagnosis> {
  const { endpointId, header, body } = received;
  const scheme = schemeOf(header);
  const closest = closestTo(body, sentBodies);
  const found = { scheme, firstDifferentByte: closest === undefined ? null : differenceOf(body, closest) };
  if (scheme === null) return { ...found, verdict: "MalformedHeader", signer: undefined };
  const signer = await signerOf(body);
  if (signer !== undefined) {
    const isOwn = signer.endpointId === endpointId;
    return {
      ...found,
      verdict: isOwn ? verdictOfOwn(signer, received.timestamp, now) : "OtherEndpoint",
      signer,
    };
  }
  for (const sent of sentBodies) {
    const signerOfSent = await signerOf(sent);
    if (signerOfSent === undefined) continue;
    const firstDifferentByte = differenceOf(body, sent);
    const changed = isSameJson(body, sent) ? "BodyReserialized" : "BodyAltered";
    const verdict = signerOfSent.endpointId === endpointId ? changed : "OtherEndpoint";
    return { verdict, scheme, signer: signerOfSent, firstDifferentByte };
  }
  return { ...found, verdict: "WrongSecret", signer: undefined };
}

function verdictOfOwn({ age }: KnownSecret, timestamp: string | undefined, now: Date): WebhookVerdict {
  if (age === "Retired") return "RetiredSecret";
  if (timestamp === undefined) return "Valid";
  const secondsAgo = now.getTime() / 1_000 - Number(timestamp);
  if (secondsAgo > toleranceSeconds) return "TimestampTooOld";
  return secondsAgo < -toleranceSeconds ? "TimestampTooNew" : "Valid";
}

function schemeOf(header: string): SignatureScheme | null {
  const { service, standard } = signaturesIn(header);
  if (service.some((text) => /^[0-9a-f]{64}$/.test(text))) return "Service";
  return standard.some((text) => /^v1,[A-Za-z0-9+/]{43}=$/.test(text)) ? "Standard" : null;
}

/** The bytes that agree with the body longest. */
function closestTo(body: Buffer, sentBodies: readonly Buffer[]): Buffer | undefined {
  const agreement = (sent: Buffer) => differenceOf(body, sent) ?? Infinity;
  return sentBodies.toSorted((a, b) => agreement(b) - agreement(a))[0];
}

/** The first byte at which two bodies differ; null if they are equal. */
function differenceOf(body: Buffer, sent: Buffer): number | null {
  if (body.equals(sent)) return null;
  const length = Math.min(body.length, sent.length);
  for (let at = 0; at < length; at += 1) if (body[at] !== sent[at]) return at;
  return length;
}

function isSameJson(body: Buffer, sent: Buffer): boolean {
  try {
    return sortedJson(body) === sortedJson(sent);
  } catch {
    return false; // the body is not JSON any more
  }
}

/** The JSON of a body without white space, its members in the order of their names. */
function sortedJson(body: Buffer): string {
  const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
  return JSON.stringify(JSON.parse(body.toString("utf8")), (_name, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(byName))
      : value,
  );
}

/** What clears the problem. */
export const explanations: Readonly<Record<WebhookVerdict, string>> = {
  Valid:
    "The signature is right. If your receiver refuses it, it verifies other bytes or with another secret.",
  RetiredSecret:
    "Verify with the endpoint's newest secret. A request that was on its way when this one was retired may still carry its signature.",
  TimestampTooOld:
    "The signature is right, but a receiver must refuse it as a replay. Verify requests as they come, and set your receiver's clock by NTP. Every attempt has a timestamp of its own.",
  TimestampTooNew: "The signature is right. Set your receiver's clock by NTP: it is behind ours.",
  BodyReserialized:
    "Verify the raw bytes of the request, before your framework parses them. This body is the same JSON, re-serialized.",
  BodyAltered:
    "Somebody changed the body after we signed it, or it belongs to another event. Refuse it, and look for what changes it between us and your receiver.",
  OtherEndpoint:
    "Verify with the secret of the endpoint that signedByEndpointId names, or give this endpoint a URL of its own.",
  WrongSecret:
    "Refuse the request: none of the last 20 secrets of any of your endpoints made this signature. Compare body, header, id and timestamp with what came: they must be unchanged.",
  MalformedHeader:
    "Send the whole value of one header: of X-Service-Signature (64 hexadecimal digits for each secret, comma-separated) or of webhook-signature (`v1,` and base64, separated by spaces).",
};
