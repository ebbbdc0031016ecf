import { useState } from "react";

const prefix = "idempotency-key:";

export interface IdempotencyKey {
  /** The form's key, whatever it sends. */
  readonly key: () => string;
  /** The form's key of this body. Another body is another request, and has another key. */
  readonly keyFor: (body: unknown) => Promise<string>;
  /** Call it once the write with this key is answered with success. */
  readonly forget: (key: string) => void;
}

/**
 * The Idempotency-Keys of a form, kept over retries and reloads of the page, so that a body that is sent twice is
 * carried out once, also if another body was sent in between. `form` names the form and its object.
 */
export function useIdempotencyKey(form: string): IdempotencyKey {
  const [made] = useState(() => idempotencyKeyOf(form));
  return made;
}

export function idempotencyKeyOf(form: string): IdempotencyKey {
  return {
    key: () => keyAt(prefix + form),
    keyFor: async (body: unknown) => keyAt(`${prefix}${form} ${await digestOf(JSON.stringify(body))}`),
    forget: (key: string) => {
      for (const [name, kept] of Object.entries(sessionStorage))
        if (name.startsWith(prefix) && kept === key) sessionStorage.removeItem(name);
    },
  };
}

function keyAt(name: string): string {
  const kept = sessionStorage.getItem(name);
  if (kept !== null) return kept;
  const key = crypto.randomUUID();
  sessionStorage.setItem(name, key);
  return key;
}

/** SHA-256 in hex, so that the browser keeps no typed text. */
export async function digestOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
