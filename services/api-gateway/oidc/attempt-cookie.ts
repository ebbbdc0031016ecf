import { z } from "zod";
import { idSchema, type TenantId } from "../../../contracts/ids/ids.ts";
import { ownPage } from "./domain/page-after-sign-in.ts";
import type { Attempt } from "./identity-provider.ts";

/** As with the session's cookie, the prefix lets no other host set it. */
const name = "__Host-sign-in";
/** `Lax`, because the provider sends the browser back to us from its own page. */
const attributes = "Path=/; Secure; HttpOnly; SameSite=Lax";
const maxAgeSeconds = 600;

const text = z.string().min(1).max(200);
const stored = z.strictObject({
  tenant: idSchema("ten"),
  state: text,
  nonce: text,
  codeVerifier: text,
  next: z
    .string()
    .refine((next) => ownPage(next) === next)
    .optional(),
});

/** An attempt as its browser keeps it. */
interface KeptAttempt extends Attempt {
  readonly tenant: TenantId;
  /** The page that was asked for before the sign-in. The provider does not see it. */
  readonly next?: string | undefined;
}

/** `Set-Cookie` that keeps an attempt in the browser that began it, for ten minutes. */
export function attemptCookie(attempt: KeptAttempt): string {
  const value = Buffer.from(JSON.stringify(attempt)).toString("base64url");
  return `${name}=${value}; ${attributes}; Max-Age=${String(maxAgeSeconds)}`;
}

export const removedAttemptCookie = `${name}=; ${attributes}; Max-Age=0`;

/** The attempt that this browser began; undefined without a cookie, or with one that we did not set. */
export function attemptOf(header: string | undefined): KeptAttempt | undefined {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  const [value, other] = pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  if (value === undefined || other !== undefined) return undefined;
  try {
    return stored.parse(JSON.parse(Buffer.from(value, "base64url").toString()));
  } catch {
    return undefined;
  }
}
