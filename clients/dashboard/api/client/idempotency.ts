import { useState } from "react";

const prefix = "idempotency-key:";
const ownerName = "idempotency-owner";
/** A body that is sent again later than this is meant as another request. */
const keptMs = 3_600_000;

export interface IdempotencyKey {
  /** The form's key, whatever it sends. */
  readonly key: () => string;
  /** The form's key of this body. Another body is another request, and has another key. */
  readonly keyFor: (body: unknown) => Promise<string>;
  /** Ends one key: its request is answered. */
  readonly forget: (key: string) => void;
  /** Ends all keys of the form. After a success, what was sent before it is another request if it is sent again. */
  readonly renew: () => void;
}

/**
 * The Idempotency-Keys of a form, one for each body that it has sent. They stay over retries and reloads of the page,
 * so that a body that is sent twice within an hour is carried out once. `form` names the form and its object.
 */
export function useIdempotencyKey(form: string): IdempotencyKey {
  const [made] = useState(() => idempotencyKeyOf(form));
  return made;
}

export function idempotencyKeyOf(form: string): IdempotencyKey {
  return {
    key: () => keyAt(prefix + form),
    keyFor: async (body: unknown) => keyAt(`${prefix}${form} ${await digestOf(JSON.stringify(body))}`),
    forget: (key: string) => remove((_name, kept) => kept.startsWith(key)),
    renew: () => remove((name) => name === prefix + form || name.startsWith(`${prefix}${form} `)),
  };
}

/**
 * Ends the keys of whoever had signed in before in this tab: with their key, the same body of another person would get
 * the answer to their request. They outlast the end of a session, because the same person may send a body again.
 */
export function forgetKeysOfOthers(owner: string): void {
  const before = sessionStorage.getItem(ownerName);
  if (before === owner) return;
  if (before !== null) sessionStorage.clear();
  sessionStorage.setItem(ownerName, owner);
}

function keyAt(name: string): string {
  const [kept, madeAt] = (sessionStorage.getItem(name) ?? "").split(" ");
  if (kept && Date.now() - Number(madeAt) < keptMs) return kept;
  const key = crypto.randomUUID();
  sessionStorage.setItem(name, `${key} ${String(Date.now())}`);
  return key;
}

function remove(isEnded: (name: string, kept: string) => boolean): void {
  for (const [name, kept] of Object.entries(sessionStorage) as [string, string][])
    if (isEnded(name, kept)) sessionStorage.removeItem(name);
}

/** SHA-256 in hex, so that the browser keeps no typed text. */
export async function digestOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
