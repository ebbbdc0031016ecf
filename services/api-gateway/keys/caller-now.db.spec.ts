import { describe, expect, it } from "vitest";
import { idOf, type PersonId, type ProposalId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { inviteTo, sitDown } from "../../../test/stack/people/people.ts";
import { callerOfSession } from "../auth/caller-of-session.ts";
import { hashOfToken } from "../auth/session-cookie.ts";
import { findSessionByHash } from "../auth/store/known-sessions.ts";
import { changePerson, decideRoles } from "../people/change-person.ts";
import { commandLineSource } from "../audit/store/audit.ts";
import { deleteRoles } from "../people/store/roles.ts";
import { createKey } from "./create-key.ts";
import { approveKeyProposal } from "./decide-proposal.ts";

const gateway = await forThisFile(startGateway());
const invite = inviteTo(gateway);

describe("an admin whose role was taken away, but was still in a gateway's cache when the request came", () => {
  /** The caller as a gateway cached it while the person was an admin. */
  async function cachedAdmin() {
    const person = await invite({ roles: { Test: ["Admin", "Viewer"], Live: [] } });
    const { token } = await sitDown(gateway, person);
    const session = await findSessionByHash(gateway.database.sql, hashOfToken(token));
    if (session === undefined) throw new Error("the session can't be read");
    const takeRole = () => deleteRoles(gateway.database.sql, person.id as PersonId, "Test", ["Admin"]);
    return { caller: callerOfSession(session, "Test"), takeRole };
  }
  const lacking = (requiredScope: string) => ({ code: "insufficient_scope", context: { requiredScope } });

  it("makes no key", async () => {
    const { caller, takeRole } = await cachedAdmin();
    const make = () =>
      gateway.units.run((unit) => createKey(unit, caller, { name: "spare", scopes: ["orders:read"] }));
    expect((await make()).apiKey.status).toBe("Active");
    await takeRole();
    await expect(make()).rejects.toMatchObject(lacking("keys:write"));
  });

  it("approves no key", async () => {
    const [maker, approver] = [await cachedAdmin(), await cachedAdmin()];
    const { apiKey } = await gateway.units.run((unit) =>
      createKey(unit, maker.caller, { name: "spare", scopes: ["keys:write"] }),
    );
    await approver.takeRole();
    const approve = gateway.units.run((unit) =>
      approveKeyProposal(unit, approver.caller, apiKey.proposalId as ProposalId),
    );
    await expect(approve).rejects.toMatchObject(lacking("keys:write"));
  });

  it("changes nobody, and approves no roles", async () => {
    const { id } = await invite();
    const [maker, approver] = [await cachedAdmin(), await cachedAdmin()];
    const change = ({ caller }: typeof maker, roles: "Maker"[]) =>
      gateway.units.run((unit) =>
        changePerson(unit, { caller, from: commandLineSource }, id as PersonId, { roles }),
      );
    await change(maker, ["Maker"]);
    const [proposal] = await gateway.database.sql<{ id: string }>(
      "select id from role_proposal where person_id = $1",
      [uuidOf(id as PersonId)],
    );
    await approver.takeRole();
    await expect(change(approver, [])).rejects.toMatchObject(lacking("people:write"));
    const approve = gateway.units.run((unit) =>
      decideRoles(
        unit,
        { caller: approver.caller, from: commandLineSource },
        idOf("prop", proposal!.id),
        "Approved",
      ),
    );
    await expect(approve).rejects.toMatchObject(lacking("people:write"));
  });
});
