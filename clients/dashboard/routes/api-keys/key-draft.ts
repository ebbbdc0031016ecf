import type { ApiKeyCreate, Scope } from "../../../typescript/types.gen.ts";

const dayMs = 86_400_000;
const days = { d30: 30, d90: 90, d365: 365, never: null } as const;
export type Expiry = keyof typeof days;

/** The form of a new key. */
export interface KeyDraft {
  readonly name: string;
  readonly principal: string;
  readonly scopes: readonly Scope[];
  readonly expiry: Expiry;
  /** Addresses and blocks, one a line. */
  readonly addresses: string;
}

/** The key that the form describes. An end counts from when the form was opened, so that a retry is the same key. */
export function keyOf(
  { name, principal, scopes, expiry, addresses }: KeyDraft,
  openedAt: number,
): ApiKeyCreate {
  const ipAllowlist = addresses.split(/[\s,]+/).filter((block) => block !== "");
  const inDays = days[expiry];
  return {
    name: name.trim(),
    principal: principal.trim(),
    scopes: [...scopes],
    ...(ipAllowlist.length === 0 ? {} : { ipAllowlist }),
    ...(inDays === null ? {} : { expiresAt: new Date(openedAt + inDays * dayMs).toISOString() }),
  };
}
