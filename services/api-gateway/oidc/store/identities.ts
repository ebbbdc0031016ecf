import { idOf, type PersonId, type TenantId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** A person's name at an OpenID provider: the issuer and its claim `sub`, which together never change. */
export interface ProviderSubject {
  readonly issuer: string;
  readonly subject: string;
}

/** The person of the tenant who has signed in as this subject before. */
export async function findPersonBySubject(
  sql: Sql,
  tenant: TenantId,
  { issuer, subject }: ProviderSubject,
): Promise<PersonId | undefined> {
  const [row] = await sql<{ id: string }>(
    "select person_id as id from person_identity where tenant_id = $1 and issuer = $2 and subject = $3",
    [uuidOf(tenant), issuer, subject],
  );
  return row && idOf("per", row.id);
}

/** False if the person has another subject at this issuer already, or the subject another person. */
export async function insertSubject(
  sql: Sql,
  { id, tenant }: { readonly id: PersonId; readonly tenant: TenantId },
  { issuer, subject }: ProviderSubject,
): Promise<boolean> {
  const inserted = await sql(
    `insert into person_identity (tenant_id, issuer, subject, person_id)
     values ($1, $2, $3, $4)
     on conflict do nothing
     returning person_id`,
    [uuidOf(tenant), issuer, subject, uuidOf(id)],
  );
  return inserted.length > 0;
}
