import { approvingScopes, makingScopes, type Scope } from "../../../../contracts/http/scopes.ts";
import { isBlockWithin } from "../../auth/domain/address-blocks.ts";

/** How long and from where a key can be used. An expiry of null is never; an empty allowlist is every address. */
interface Reach {
  readonly expiresAt: Date | null;
  readonly ipAllowlist: readonly string[];
}

/** The principal that requests a key, with the scopes and the reach of the key that it calls with. */
export interface Maker extends Reach {
  readonly principal: string;
  readonly scopes: ReadonlySet<string>;
}

/** The requested key. `principalIsKnown`: it is a person's, or has or had an active key. */
export interface RequestedKey extends Reach {
  readonly principal: string;
  readonly principalIsKnown: boolean;
  readonly scopes: readonly Scope[];
}

/** The requested scopes that the maker's own key lacks. */
export function scopesBeyond(maker: Pick<Maker, "scopes">, scopes: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => !maker.scopes.has(scope));
}

/**
 * The requested approving scopes that the principal can't have yet. `isVouchedFor`: an operator, or a second principal
 * by an approval, has given the principal a key or a role.
 */
export function scopesToVouchFor(scopes: readonly Scope[], isVouchedFor: boolean): Scope[] {
  return isVouchedFor ? [] : scopes.filter((scope) => approvingScopes.includes(scope));
}

/** Why another principal must approve the key; undefined if its maker may create it alone. */
export function approvalReason(maker: Maker, requested: RequestedKey): string | undefined {
  const deciding = requested.scopes.filter((scope) => approvingScopes.includes(scope));
  const making = requested.scopes.filter((scope) => makingScopes.includes(scope));
  const inAnothersName = requested.principal !== maker.principal;
  const reasons = [
    ...(deciding.length === 0 ? [] : [`It has ${deciding.join(", ")}.`]),
    ...(inAnothersName && requested.principalIsKnown ? [`It acts for ${requested.principal}.`] : []),
    ...(inAnothersName && !requested.principalIsKnown && making.length > 0
      ? [`It has ${making.join(", ")} under a new name.`]
      : []),
    ...(endsLater(requested, maker) ? ["It ends later than the key that makes it."] : []),
    ...(reachesFurther(requested, maker)
      ? ["It can be used from addresses from which the key that makes it can't."]
      : []),
  ];
  return reasons.length === 0 ? undefined : reasons.join(" ");
}

function endsLater(requested: Reach, maker: Reach): boolean {
  if (maker.expiresAt === null) return false;
  return requested.expiresAt === null || requested.expiresAt > maker.expiresAt;
}

function reachesFurther(requested: Reach, maker: Reach): boolean {
  if (maker.ipAllowlist.length === 0) return false;
  return (
    requested.ipAllowlist.length === 0 ||
    !requested.ipAllowlist.every((block) => isBlockWithin(block, maker.ipAllowlist))
  );
}
