/** No admin overwrites what another one has just changed of a person. */
import { describe, expect, it } from "vitest";
import { scopes } from "../../../contracts/http/scopes.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { ApplyApprovalRights } from "../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { addPasskey, confirm } from "../../../test/stack/people/passkey-of.ts";
import { inviteTo, sitDown } from "../../../test/stack/people/people.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";

const gateway = await forThisFile(startGateway());
await gateway.owner(ApplyApprovalRights, ({ data: { rights } }) => ({ recorded: rights.length }));
const invite = inviteTo(gateway);
const ana = await gateway.issue({ principal: "ana", scopes });
const ben = await gateway.issue({ principal: "ben", scopes });

const read = (id: string) => gateway.call("GET", `/v1/people/${id}`, { key: ana.key });
const change = (id: string, body: object, { key = ana.key, ifMatch = "*" } = {}) =>
  gateway.call("PATCH", `/v1/people/${id}`, { key, body, headers: { "if-match": ifMatch } });
const tagOf = ({ headers }: { readonly headers: Headers }) => headers.get("etag") ?? "";
const versionOf = async (id: string) => Number((await read(id)).body.version);

describe("a person's version", () => {
  it("is the ETag of every answer, and PATCH compares it with If-Match", async () => {
    const { id } = await invite();
    const seen = await read(id);
    expect(tagOf(seen)).toBe(`"${String(seen.body.version)}"`);
    const byBen = await change(id, { name: "Rosa Ortiz" }, { key: ben.key, ifMatch: tagOf(seen) });
    expect(byBen.status).toBe(200);
    expect(tagOf(byBen)).toBe(`"${String(byBen.body.version)}"`);
    const outdated = await change(id, { roles: ["Viewer"] }, { ifMatch: tagOf(seen) });
    expect(outdated.body).toMatchObject({
      status: 412,
      code: "precondition_failed",
      resourceId: id,
      currentVersion: byBen.body.version,
    });
    expect((await change(id, { roles: ["Viewer"] }, { ifMatch: tagOf(byBen) })).status).toBe(200);
  });

  it("is in the answer that makes the person", async () => {
    const body = { principal: "cleo", email: "cleo@acme.example", name: "Cleo", roles: ["Viewer"] };
    const created = await gateway.call("POST", "/v1/people", { key: ana.key, body });
    expect(created.status).toBe(201);
    expect(tagOf(created)).toBe(tagOf(await read(String(created.body.id))));
  });

  it("rises with the name, the status, a role of either mode, and a proposal and its decision", async () => {
    const { id } = await invite({ roles: { Test: ["Viewer"], Live: ["Viewer"] } });
    const live = await gateway.issue({ principal: "eve", mode: "Live", scopes });
    const decide = async () => {
      const { body } = await gateway.call("GET", "/v1/people/role-proposals?status=Open", { key: ben.key });
      const [open] = body.data as { id: string }[];
      const path = `/v1/people/role-proposals/${open?.id ?? ""}/approve`;
      return gateway.call("POST", path, { key: ben.key, body: {} });
    };
    const changes = [
      () => change(id, { roles: ["Viewer", "Maker"] }),
      decide,
      () => change(id, { roles: [] }),
      () => change(id, { name: "Rosario" }, { key: live.key }),
      () => change(id, { roles: [] }, { key: live.key }),
      () => change(id, { status: "Suspended" }, { key: live.key }),
    ];
    for (const each of changes) {
      const before = await versionOf(id);
      expect((await each()).status).toBe(200);
      expect(await versionOf(id)).toBeGreaterThan(before);
    }
  });

  it("stays where nothing changes, and where the person signs in", async () => {
    const person = await invite();
    const before = await versionOf(person.id);
    await sitDown(gateway, person);
    await change(person.id, { roles: ["Viewer"] });
    expect(await versionOf(person.id)).toBe(before);
  });

  it("counts what a gateway of the previous release writes, which knows no versions", async () => {
    const { id } = await invite();
    const before = await versionOf(id);
    await gateway.asOwner(`delete from gateway.person_role where person_id = '${uuidOf(id as never)}'`);
    expect(await versionOf(id)).toBeGreaterThan(before);
  });

  it("is confirmed with the passkey, together with the change", async () => {
    const { id } = await invite();
    const admin = await sitDown(gateway, await invite({ roles: { Test: ["Admin"], Live: [] } }));
    const passkey = await addPasskey(gateway, admin);
    const [body, ifMatch] = [{ roles: [] }, tagOf(await read(id))];
    const send = async (confirmed: { ifMatch?: string }) => {
      const stepUp = await confirm(gateway, admin, passkey, {
        operation: "updatePerson",
        ids: [id],
        body,
        ...confirmed,
      });
      const headers = { ...admin.headers, ...stepUp, "if-match": ifMatch };
      return (await gateway.call("PATCH", `/v1/people/${id}`, { headers, body })).status;
    };
    expect(await send({})).toBe(403);
    expect(await send({ ifMatch })).toBe(200);
  });
});
