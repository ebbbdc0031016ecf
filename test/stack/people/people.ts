/** People of a test's gateway, who sign in as a browser would on our own page. */
import { newId, type TenantId } from "../../../contracts/ids/ids.ts";
import { type Invitation, invitePerson } from "../../../services/api-gateway/people/invite-person.ts";
import type { TestGateway } from "../services/gateway.ts";

export interface Invited {
  readonly id: string;
  readonly tenant: TenantId;
  readonly email: string;
  readonly password: string;
}

/** A person who has signed in. */
export interface Seat {
  readonly token: string;
  readonly email: string;
  /** What the page sends with each request to the Test book. */
  readonly headers: Record<string, string>;
}

/** Invites people to the gateway's tenant; without more, a viewer in Test, who has set their own password. */
export function inviteTo(gateway: TestGateway) {
  return async (invitation: Partial<Invitation> = {}): Promise<Invited> => {
    const principal = invitation.principal ?? newId("per").slice(0, 20);
    const email = invitation.email ?? `${newId("per")}@example.com`;
    const tenant = invitation.tenant ?? gateway.tenant;
    const { id, password } = await gateway.units.run((unit) =>
      invitePerson(unit, {
        tenant,
        principal,
        email,
        name: principal,
        roles: { Test: ["Viewer"], Live: [] },
        password: "a password of their own",
        ...invitation,
      }),
    );
    return { id, tenant, email, password };
  };
}

/** The headers that a browser adds on our own page. */
export function ownPage({ url }: Pick<TestGateway, "url">): Record<string, string> {
  return { "sec-fetch-site": "same-origin", origin: new URL(url).origin };
}

/** Signs in, quicker if the tenant is named. Throws if that fails. */
export async function sitDown(
  gateway: TestGateway,
  { email, password, tenant }: Pick<Invited, "email" | "password"> & Partial<Pick<Invited, "tenant">>,
  headers: Record<string, string> = {},
): Promise<Seat> {
  const answer = await gateway.call("POST", "/auth/sign-in", {
    body: { email, password, tenant },
    headers: { ...ownPage(gateway), ...headers },
  });
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";", 1);
  if (answer.status !== 200 || cookie === "") throw new Error(`the sign-in failed: ${answer.text}`);
  return {
    token: cookie.slice(cookie.indexOf("=") + 1),
    email,
    headers: { ...ownPage(gateway), cookie, "quittance-mode": "Test" },
  };
}
