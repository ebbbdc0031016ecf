import type { Me } from "../../../contracts/http/people.ts";
import { type Scope, scopes } from "../../../contracts/http/scopes.ts";
import { scopesOfRoles } from "../../../contracts/http/roles.ts";
import type { Mode } from "../../../contracts/ids/ids.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { KnownCaller, KnownSession } from "../auth/domain/caller.ts";
import { findTenant } from "../tenants/store/tenants.ts";

type Asked = Pick<KnownCaller, "tenant" | "mode" | "principal" | "scopes" | "apiKeyId" | "session">;

/** Who calls, and what they may do. */
export async function readMe(sql: Sql, { tenant, mode, principal, ...caller }: Asked): Promise<Me> {
  const known = await findTenant(sql, tenant);
  if (known === undefined) throw new Error(`tenant ${tenant} has a caller but can't be read`);
  return {
    principal,
    mode,
    scopes: scopes.filter((scope: Scope) => caller.scopes.has(scope)),
    tenant: { id: tenant, name: known.name },
    person: personOf(caller.session),
    apiKeyId: caller.apiKeyId,
  };
}

function personOf(session: KnownSession | null): Me["person"] {
  if (session === null) return null;
  const { person, name, email, roles, hasGivenPassword } = session;
  return {
    id: person,
    name,
    email,
    hasGivenPassword,
    roles: { Test: [...roles.Test], Live: [...roles.Live] },
  };
}

/** The same right after a sign-in, in the first mode in which the person has a role: the request names none. */
export function readMeOf(sql: Sql, session: KnownSession): Promise<Me> {
  const mode: Mode = session.roles.Test.length === 0 && session.roles.Live.length > 0 ? "Live" : "Test";
  const { tenant, principal, roles } = session;
  return readMe(sql, {
    tenant,
    mode,
    principal,
    scopes: scopesOfRoles(roles[mode], mode),
    apiKeyId: null,
    session,
  });
}
