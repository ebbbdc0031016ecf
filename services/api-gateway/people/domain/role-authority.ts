import { Refusal } from "../../../../contracts/errors.ts";
import type { RoleProposal } from "../../../../contracts/http/people.ts";
import { type Role, scopesOfRoles } from "../../../../contracts/http/roles.ts";
import { approvingScopes, makingScopes } from "../../../../contracts/http/scopes.ts";
import type { Mode } from "../../../../contracts/ids/ids.ts";
import { isSamePrincipal } from "../../../../contracts/text/principals.ts";

/** Roles that an admin gives to a person. */
interface GivenRoles {
  readonly mode: Mode;
  readonly roles: readonly Role[];
  /** Whether API keys speak for the person's principal, did, or would if an open proposal were approved. */
  readonly speaksThroughKeys: boolean;
}

/**
 * The roles that another admin must approve; the others are given at once. The admin who creates a person has their
 * first password and could sign in as them. So in Test one admin alone gives only roles that neither make nor decide
 * anything (docs/adr/0038), and none to a principal that has API keys: it may have made or decided something with them.
 */
export function rolesForAnotherAdmin({ mode, roles, speaksThroughKeys }: GivenRoles): Role[] {
  const acting = new Set<string>([...approvingScopes, ...makingScopes]);
  return roles.filter(
    (role) =>
      mode === "Live" ||
      speaksThroughKeys ||
      [...scopesOfRoles([role], mode)].some((scope) => acting.has(scope)),
  );
}

/** Refusal, if this principal can't approve the roles: `self_approval_not_allowed`. */
export function checkRoleApproval(
  by: string,
  { proposedBy, principal }: Pick<RoleProposal, "proposedBy" | "principal">,
): void {
  if (![proposedBy, principal].some((each) => isSamePrincipal(by, each))) return;
  throw new Refusal(
    "self_approval_not_allowed",
    "Another admin must approve these roles: you proposed them, or would get them.",
  );
}
