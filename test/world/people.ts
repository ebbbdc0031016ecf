/** Who sits at the screen: people of a world's tenant. */
import pg from "pg";
import type { Role } from "../../contracts/http/roles.ts";
import { invitePerson } from "../../services/api-gateway/people/invite-person.ts";
import { OutboxWriter } from "../../services/platform/outbox/outbox.ts";
import { gatewayDatabaseUrl, type World } from "./world.ts";

interface Known {
  readonly name: string;
  /** In Test. */
  readonly roles: readonly Role[];
  readonly live?: readonly Role[];
}

const people = {
  maya: { name: "Maya Lindqvist", roles: ["Maker", "Developer"] },
  iris: { name: "Iris Novak", roles: ["Developer"] },
  theo: { name: "Theo Laurent", roles: ["Developer"] },
  lia: { name: "Lia Berg", roles: [], live: ["Maker", "Approver", "Developer", "Admin"] },
  noor: { name: "Noor Rahman", roles: ["Approver"] },
  omar: { name: "Omar Haddad", roles: ["Approver", "Admin"] },
  ada: { name: "Ada Okafor", roles: ["Admin"] },
  vic: { name: "Vic Moreau", roles: ["Approver"] },
  /** The principal whose API key makes a world's orders. */
  maker: { name: "Mara Maker", roles: ["Maker", "Approver"] },
  ines: { name: "Inês Duarte", roles: ["Approver"] },
  vera: { name: "Vera Sato", roles: ["Viewer"] },
} as const satisfies Record<string, Known>;
export type Principal = keyof typeof people;

export interface Credentials {
  /** Named, because that makes a sign-in quicker. */
  readonly tenant: string;
  readonly email: string;
  readonly password: string;
}

/** Invites the person into the world's tenant, and returns what they sign in with. */
export async function invite(world: World, principal: Principal): Promise<Credentials> {
  const { id: tenant } = world.tenant.tenant;
  const email = `${principal}@${tenant.slice(-8)}.example`;
  const { name, roles: Test, live: Live = [] }: Known = people[principal];
  const client = new pg.Client(gatewayDatabaseUrl(world.system));
  await client.connect();
  try {
    const sql = async <R extends object>(text: string, params: readonly unknown[] = []) =>
      (await client.query(text, [...params])).rows as R[];
    const { password } = await invitePerson(
      // People without an earlier right to approve publish nothing.
      { sql, outbox: new OutboxWriter(1) },
      {
        tenant,
        principal,
        email,
        name,
        roles: { Test, Live },
        password: "a password of their own",
      },
    );
    return { tenant, email, password };
  } finally {
    await client.end();
  }
}
