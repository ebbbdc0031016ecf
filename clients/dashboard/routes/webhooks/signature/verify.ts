/** Verifies a webhook's signature in the page, and finds what usually goes wrong (docs/guides/receive-webhooks.md). */
import type { signatureTexts } from "../../../texts/signature.ts";

/** A request as a receiver got it, and the secret that it verifies with. */
export interface Received {
  readonly body: string;
  /** The value of `X-Service-Signature` or of `webhook-signature`. */
  readonly header: string;
  readonly id: string;
  readonly timestamp: string;
  readonly secret: string;
}

export type Verdict = keyof typeof signatureTexts.verdicts;

const prefix = "whsec_";
const toleranceMs = 300_000;

export async function verdictOf(received: Received, nowMs: number): Promise<Verdict> {
  const words = received.header.trim().split(/\s+/);
  const standard = words.filter((word) => word.startsWith("v1,")).map((word) => word.slice("v1,".length));
  if (standard.length > 0) return verdictOfStandard(received, standard, nowMs);
  const given = words.flatMap((word) => word.split(",")).filter((word) => bytesOf(word) !== undefined);
  if (given.length === 0) return "NoSignature";
  return firstMatch(received, async ({ body, secret }) => {
    const expected = hex(await hmac(encoded(secret), body));
    if (given.includes(expected)) return "Valid";
    return given.some((word) => hex(bytesOf(word) ?? new Uint8Array()) === expected)
      ? "HeaderEncoded"
      : undefined;
  });
}

function verdictOfStandard(
  received: Received,
  given: readonly string[],
  nowMs: number,
): Promise<Verdict> | Verdict {
  const { id, timestamp } = received;
  if (id.trim() === "" || timestamp.trim() === "") return "NoTimestamp";
  const aheadMs = Number(timestamp) * 1_000 - nowMs;
  return firstMatch(received, async ({ body, secret }) => {
    const key = bytesOfBase64(secret.slice(prefix.length));
    if (key === undefined || key.length === 0) return undefined;
    const signed = await hmac(key, `${id.trim()}.${timestamp.trim()}.${body}`);
    if (!given.includes(btoa(String.fromCharCode(...signed)))) return undefined;
    if (aheadMs < -toleranceMs) return "TooOld";
    return aheadMs > toleranceMs ? "TooNew" : "Valid";
  });
}

interface Candidate {
  readonly body: string;
  readonly secret: string;
}

/** Tries the body and the secret as they are, then as they should have been after the usual mistakes. */
async function firstMatch(
  { body, secret }: Received,
  matches: (candidate: Candidate) => Promise<Verdict | undefined>,
): Promise<Verdict> {
  const bare = secret.trim().replaceAll(/^["']|["']$/g, "");
  const secrets = [secret, bare, prefix + bare].filter((one) => one !== "");
  const bodies = [[body, undefined] as const, ...rewritten(body), ...decoded(body)];
  for (const [text, fault] of bodies) {
    for (const one of secrets) {
      const verdict = await matches({ body: text, secret: one });
      if (verdict === undefined) continue;
      if (one !== secret) return "SecretAltered";
      return fault ?? verdict;
    }
  }
  return "NoMatch";
}

/** The body without what a framework or an editor may have added to it. */
function rewritten(body: string): (readonly [string, Verdict])[] {
  const texts = [body.trim()];
  try {
    texts.push(JSON.stringify(JSON.parse(body)));
  } catch {
    // It is no JSON.
  }
  return texts.map((text) => [text, "BodyReserialized"] as const);
}

function decoded(body: string): (readonly [string, Verdict])[] {
  const texts: string[] = [];
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === "string") texts.push(parsed);
  } catch {
    const bytes = bytesOfBase64(body.trim());
    if (bytes !== undefined) texts.push(new TextDecoder().decode(bytes));
  }
  return texts.map((text) => [text, "BodyEncoded"] as const);
}

/** A signature of 32 bytes, in hexadecimal or base64. */
function bytesOf(signature: string): Uint8Array<ArrayBuffer> | undefined {
  const text = signature.replace(/^sha256=/, "");
  const bytes = /^[0-9a-f]{64}$/i.test(text)
    ? Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    : bytesOfBase64(text);
  return bytes?.length === 32 ? bytes : undefined;
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const encoded = (text: string) => new TextEncoder().encode(text);
const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoded(text)));
}
