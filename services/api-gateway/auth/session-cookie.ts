import { createHash, randomBytes } from "node:crypto";

/** The prefix binds the cookie to this host: it is set only with `Secure`, `Path=/` and without `Domain`. */
const name = "__Host-session";
const attributes = "Path=/; Secure; HttpOnly; SameSite=Lax";
const secretBytes = 32;
const shape = /^[A-Za-z0-9_-]{43}$/;

/** The secret of a new session: 32 random bytes. Only its SHA-256 is stored. */
export function mintSessionToken(): string {
  return randomBytes(secretBytes).toString("base64url");
}

export function hashOfToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** `Set-Cookie` for a session. It is kept until the browser closes, and the server ends it before that. */
export function sessionCookie(token: string): string {
  return `${name}=${token}; ${attributes}`;
}

/** `Set-Cookie` that removes the cookie. */
export const removedCookie = `${name}=; ${attributes}; Max-Age=0`;

/**
 * The token of a `Cookie` header; undefined without one, and null for one that can't be a session's: malformed, or two
 * cookies of the name, of which one would be somebody else's.
 */
export function tokenOf(header: string | undefined): string | null | undefined {
  const sent = (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [token] = sent;
  if (token === undefined) return undefined;
  return sent.length === 1 && shape.test(token) ? token : null;
}
