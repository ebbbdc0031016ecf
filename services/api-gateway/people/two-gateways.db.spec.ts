import { describe, expect, it, vi } from "vitest";
import type { RolesByMode } from "../../../contracts/http/roles.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { addPasskey, confirm } from "../../../test/stack/people/passkey-of.ts";
import { inviteTo, type Seat, sitDown } from "../../../test/stack/people/people.ts";

const gateway = await forThisFile(startGateway());
const elsewhere = await gateway.another();
const invite = inviteTo(gateway);
const admin = await sitDown(gateway, await invite({ roles: { Test: ["Admin"], Live: [] } }));
const passkey = await addPasskey(gateway, admin);

/** Who the other gateway says that the session is. */
async function meThere({ headers }: Seat, mode: "Test" | "Live" = "Test") {
  const { origin } = new URL(elsewhere);
  const answer = await fetch(`${elsewhere}/v1/me`, {
    headers: { ...headers, origin, "quittance-mode": mode },
  });
  const body = (await answer.json()) as { code?: string; person?: { roles: RolesByMode } };
  return body.person?.roles ?? body.code;
}

async function changeHere(id: string, body: object): Promise<void> {
  const stepUp = await confirm(gateway, admin, passkey, { operation: "updatePerson", ids: [id], body });
  const headers = { ...admin.headers, ...stepUp };
  expect((await gateway.call("PATCH", `/v1/people/${id}`, { headers, body })).status).toBe(200);
}

/** How often the event about a person was published, of which every gateway clears its cache. */
async function changesOf(id: string): Promise<number> {
  const events = await gateway.database.sql(
    "select from outbox where subject like 'evt.gateway.person-changed.%' and message like $1",
    [`%${id}%`],
  );
  return events.length;
}

/** Sooner than the second for which it would be cached. */
const soon = { timeout: 900, interval: 10 };

/** A pause of the whole machine may exceed the bound; a cache that is waited for exceeds it each time. */
const onABusyMachine = { retry: 2 };

describe("a session that another gateway has just cached", onABusyMachine, () => {
  it("ends there within a second of the sign-out", async () => {
    const seat = await sitDown(gateway, await invite());
    expect(await meThere(seat)).toEqual({ Test: ["Viewer"], Live: [] });
    await gateway.call("POST", "/auth/sign-out", { headers: seat.headers, body: {} });
    await vi.waitFor(async () => expect(await meThere(seat)).toBe("session_ended"), soon);
  });

  it("ends there within a second of a sign-in that replaces it, also by somebody else", async () => {
    const person = await invite();
    const seat = await sitDown(gateway, person);
    expect(await meThere(seat)).toEqual({ Test: ["Viewer"], Live: [] });
    await sitDown(gateway, await invite(), { cookie: seat.headers["cookie"] ?? "" });
    // Every gateway looks again once this is published, and names whose session it was.
    expect(await changesOf(person.id)).toBe(1);
    await vi.waitFor(async () => expect(await meThere(seat)).toBe("session_ended"), soon);
  });

  it("ends there within a second of the suspension of its person", async () => {
    const person = await invite();
    const seat = await sitDown(gateway, person);
    expect(await meThere(seat)).toEqual({ Test: ["Viewer"], Live: [] });
    await changeHere(person.id, { status: "Suspended" });
    await vi.waitFor(async () => expect(await meThere(seat)).toBe("session_ended"), soon);
  });

  it("loses a role there within a second, and goes on with the others", async () => {
    const person = await invite({ roles: { Test: ["Viewer", "Maker"], Live: ["Approver"] } });
    const seat = await sitDown(gateway, person);
    expect(await meThere(seat)).toEqual({ Test: ["Maker", "Viewer"], Live: ["Approver"] });
    await changeHere(person.id, { roles: ["Viewer"] });
    await vi.waitFor(
      async () => expect(await meThere(seat)).toEqual({ Test: ["Viewer"], Live: ["Approver"] }),
      soon,
    );
  });

  it("loses a whole book there within a second, and goes on in the other", async () => {
    const person = await invite({ roles: { Test: ["Viewer"], Live: ["Approver"] } });
    const seat = await sitDown(gateway, person);
    expect(await meThere(seat)).toEqual({ Test: ["Viewer"], Live: ["Approver"] });
    await changeHere(person.id, { roles: [] });
    await vi.waitFor(async () => expect(await meThere(seat)).toBe("no_role_in_mode"), soon);
    expect(await meThere(seat, "Live")).toEqual({ Test: [], Live: ["Approver"] });
  });

  it("gets a role there within a second", async () => {
    const person = await invite({ roles: { Test: [], Live: ["Viewer"] } });
    const seat = await sitDown(gateway, person);
    expect(await meThere(seat)).toBe("no_role_in_mode");
    await changeHere(person.id, { roles: ["Viewer"] });
    await vi.waitFor(
      async () => expect(await meThere(seat)).toEqual({ Test: ["Viewer"], Live: ["Viewer"] }),
      soon,
    );
  });
});
