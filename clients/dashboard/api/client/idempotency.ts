import { useState } from "react";

const prefix = "idempotency-key:";

export interface IdempotencyKey {
  /** The form's key, whatever it sends. */
  readonly key: () => string;
  /** The form's key while it sends this body. Another body is another request, and gets another key. */
  readonly keyFor: (body: unknown) => Promise<string>;
  /** Forgets the key. Call it once the write is answered with success. */
  readonly renew: () => void;
}

/**
 * The Idempotency-Key of one write, kept over retries and reloads of the page, so that a form that is sent twice is
 * carried out once. `form` names the form and its object.
 */
export function useIdempotencyKey(form: string): IdempotencyKey {
  const [made] = useState(() => idempotencyKeyOf(form));
  return made;
}

export function idempotencyKeyOf(form: string): IdempotencyKey {
  return {
    key: () => {
      const kept = sessionStorage.getItem(prefix + form);
      if (kept !== null) return kept;
      const key = crypto.randomUUID();
      sessionStorage.setItem(prefix + form, key);
      return key;
    },
    keyFor: async (body: unknown) => {
      const digest = await digestOf(JSON.stringify(body));
      const [keptDigest, kept] = (sessionStorage.getItem(prefix + form) ?? "").split(" ");
      if (keptDigest === digest && kept !== undefined) return kept;
      const key = crypto.randomUUID();
      sessionStorage.setItem(prefix + form, `${digest} ${key}`);
      return key;
    },
    renew: () => sessionStorage.removeItem(prefix + form),
  };
}

/** SHA-256 in hex, so that the browser keeps no typed text. */
export async function digestOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
