import type { Scope } from "../../../../contracts/http/scopes.ts";

/** Who asks for a key, and what the key that it asks with can do. */
export interface KeyMaker {
  readonly principal: string;
  readonly scopes: ReadonlySet<string>;
}

/** The key that is asked for. `principalIsKnown`: a key in force speaks, or has spoken, for that principal. */
export interface WishedKey {
  readonly principal: string;
  readonly principalIsKnown: boolean;
  readonly scopes: readonly Scope[];
}

/** They let through what others made: nobody gives them alone, not even to himself. */
const decidingScopes: readonly Scope[] = ["orders:approve", "policy:write", "keys:write"];

/**
 * They make one the other side of an approval. Whoever could put on a second name with one of these would approve
 * as himself what he had made as the other.
 */
const makingScopes: readonly Scope[] = ["orders:write", "counterparties:write", "ledger:write"];

/** The scopes of the key that its giver does not hold: nobody gives what he hasn't got. */
export function scopesBeyond(giver: Pick<KeyMaker, "scopes">, scopes: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => !giver.scopes.has(scope));
}

/** The deciding scopes of a key for a principal that nobody knows yet: its first such key is the operator's to give. */
export function scopesForTheOperator(wish: WishedKey): Scope[] {
  return wish.principalIsKnown ? [] : wish.scopes.filter((scope) => decidingScopes.includes(scope));
}

/** Why another principal has to let the key through; undefined when its maker may give it alone. */
export function whyAnother(maker: KeyMaker, wish: WishedKey): string | undefined {
  const deciding = wish.scopes.filter((scope) => decidingScopes.includes(scope));
  const making = wish.scopes.filter((scope) => makingScopes.includes(scope));
  const inAnothersName = wish.principal !== maker.principal;
  const reasons = [
    ...(deciding.length === 0 ? [] : [`It has ${deciding.join(", ")}.`]),
    ...(inAnothersName && wish.principalIsKnown ? [`It speaks for ${wish.principal}.`] : []),
    ...(inAnothersName && !wish.principalIsKnown && making.length > 0
      ? [`It has ${making.join(", ")} under a new name.`]
      : []),
  ];
  return reasons.length === 0 ? undefined : reasons.join(" ");
}
