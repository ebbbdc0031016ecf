/** People who sit at screens. */
import pg from "pg";
import type { Role } from "../../../contracts/http/roles.ts";
import type { SeededTenant } from "../../../scripts/local/demo/seed.ts";
import { invitePerson } from "../../../services/api-gateway/people/invite-person.ts";
import { OutboxWriter } from "../../../services/platform/outbox/outbox.ts";
import { gatewayOf } from "../../endpoints.ts";
import type { Stage } from "../../stage.ts";

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Invites a person into the tenant, with these roles in Test. */
export async function invite(
  stage: Stage,
  { tenant: { id: tenant } }: SeededTenant,
  principal: string,
  roles: readonly Role[],
): Promise<Credentials> {
  const client = new pg.Client(stage.databaseUrlOf("gateway"));
  await client.connect();
  try {
    const sql = async <R extends object>(text: string, params: readonly unknown[] = []) =>
      (await client.query(text, [...params])).rows as R[];
    const email = `${principal}@${tenant.slice(-8)}.example`;
    const { password } = await invitePerson(
      { sql, outbox: new OutboxWriter(1) },
      {
        tenant,
        principal,
        email,
        name: principal,
        roles: { Test: roles, Live: [] },
        password: "a password of their own",
      },
    );
    return { email, password };
  } finally {
    await client.end();
  }
}

/** The headers with which the person's page reads the Test book. */
export async function signIn(stage: Stage, credentials: Credentials): Promise<Record<string, string>> {
  const ownPage = { "sec-fetch-site": "same-origin", origin: gatewayOf(stage) };
  const response = await fetch(`${gatewayOf(stage)}/auth/sign-in`, {
    method: "POST",
    headers: { ...ownPage, "content-type": "application/json" },
    body: JSON.stringify(credentials),
  });
  const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";", 1);
  if (!response.ok) throw new Error(`a sign-in: ${await response.text()}`);
  return { ...ownPage, cookie, "quittance-mode": "Test" };
}
