/** What an admin of Test may not do to people of Live, and what an admin of Live does to people of both. */
import { describe, expect, it } from "vitest";
import { bookIdOf, uuidOf } from "../../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../../contracts/message.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { addPasskey, confirm } from "../../../test/stack/people/passkey-of.ts";
import { inviteTo, type Seat, sitDown } from "../../../test/stack/people/people.ts";

const gateway = await forThisFile(startGateway());
const invite = inviteTo(gateway);
const ofTest = await admin("Test");
const ofLive = await admin("Live");

type Admin = Awaited<ReturnType<typeof admin>>;
async function admin(mode: "Test" | "Live") {
  const seat = await sitDown(gateway, await invite({ roles: { Test: [], Live: [], [mode]: ["Admin"] } }));
  const inMode: Seat = { ...seat, headers: { ...seat.headers, "quittance-mode": mode } };
  return { ...inMode, passkey: await addPasskey(gateway, inMode) };
}

async function change(by: Admin, id: string, body: object) {
  const stepUp = await confirm(gateway, by, by.passkey, { operation: "updatePerson", ids: [id], body });
  const headers = { ...by.headers, ...stepUp };
  const answer = await gateway.call("PATCH", `/v1/people/${id}`, { body, headers });
  return answer.status === 200 ? 200 : answer.body.code;
}

describe("an admin of Test alone", () => {
  it("neither suspends nor renames somebody who waits for a role in Live", async () => {
    const { id } = await invite();
    expect(await change(ofLive, id, { roles: ["Maker"] })).toBe(200);
    expect(await change(ofTest, id, { status: "Suspended" })).toBe("insufficient_scope");
    expect(await change(ofTest, id, { name: "Noor Rahman" })).toBe("insufficient_scope");
    const path = "/v1/people/role-proposals?status=Open";
    const { body } = await gateway.call("GET", path, { headers: ofLive.headers });
    expect((body.data as { personId: string }[]).map(({ personId }) => personId)).toContain(id);
  });

  it("does not bring back somebody whom an admin of Live has suspended", async () => {
    const { id } = await invite();
    expect(await change(ofLive, id, { status: "Suspended" })).toBe(200);
    expect(await change(ofTest, id, { status: "Active", roles: ["Viewer"] })).toBe("insufficient_scope");
    expect(await change(ofLive, id, { status: "Active" })).toBe(200);
  });

  it("suspends and brings back people of Test", async () => {
    const { id } = await invite();
    expect(await change(ofTest, id, { status: "Suspended" })).toBe(200);
    expect(await change(ofTest, id, { status: "Active" })).toBe(200);
  });
});

describe("an admin of Live", () => {
  it("takes every role of somebody whom they suspend, and what they wait for, in Test too", async () => {
    const principal = "noor";
    const { id } = await invite({ principal, roles: { Test: ["Approver"], Live: ["Viewer"] } });
    expect(await change(ofTest, id, { roles: ["Approver", "Maker"] })).toBe(200);
    expect(await proposalsOf(id)).toMatchObject([{ status: "Open", roles: ["Maker"] }]);
    expect(await change(ofLive, id, { status: "Suspended" })).toBe(200);
    const { body } = await gateway.call("GET", `/v1/people/${id}`, { headers: ofLive.headers });
    expect(body).toMatchObject({ status: "Suspended", roles: { Test: [], Live: [] } });
    expect(await proposalsOf(id)).toMatchObject([{ status: "Denied", roles: ["Maker"] }]);
    const lost = { principal, heldUntil: "1970-01-01T00:00:00.000Z", heldSince: null };
    expect(await publishedRights("Test", principal)).toEqual([lost]);
    expect(await publishedRights("Live", principal)).toEqual([]);
  });
});

/** The roles in Test that were proposed for a person. */
async function proposalsOf(id: string): Promise<unknown[]> {
  const { body } = await gateway.call("GET", "/v1/people/role-proposals", { headers: ofTest.headers });
  return (body.data as { personId: string }[]).filter(({ personId }) => personId === id);
}

/** What was published of a principal's right to approve in a book. */
async function publishedRights(mode: "Test" | "Live", principal: string): Promise<unknown[]> {
  const rows = await gateway.database.sql<{ data: AnyMessage["data"] }>(
    `select f.message -> 'data' as data
     from outbox o, jsonb_array_elements(('[' || o.message || ']')::jsonb) f (message)
     where o.book_id = $1
       and f.message ->> 'type' = 'gateway.approval-right-changed.v1'
       and f.message ->> 'subject' = $2`,
    [uuidOf(bookIdOf(gateway.tenant, mode)), principal],
  );
  return rows.map(({ data }) => data);
}
