import { describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import type { Authenticator } from "../../../test/stack/people/authenticator.ts";
import { addPasskey, challengeIn, type Confirmed, send } from "../../../test/stack/people/passkey-of.ts";
import { inviteTo, type Seat, sitDown } from "../../../test/stack/people/people.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";

const gateway = await forThisFile(startGateway());
const { origin } = new URL(gateway.url);
const invite = inviteTo(gateway);
const approver = async () =>
  sitDown(gateway, await invite({ roles: { Test: ["Approver", "Admin"], Live: [] } }));
const approval = (id: string): Confirmed => ({
  operation: "approvePaymentOrder",
  ids: [id],
  orderHashes: ["ab".repeat(32)],
});
const begin = async (seat: Seat, what: Confirmed) => {
  const { body } = await send(gateway, seat, "/auth/step-up", what);
  return { id: String(body.id), challenge: challengeIn(body.options) };
};
const verify = async (seat: Seat, id: string, response: object) => {
  const { status, body } = await send(gateway, seat, `/auth/step-up/${id}/verify`, { response });
  return status < 300 ? status : body.code;
};

describe("the answer of a passkey", () => {
  it("counts once", async () => {
    const seat = await approver();
    const passkey = await addPasskey(gateway, seat);
    const { id, challenge } = await begin(seat, approval(newId("po")));
    const response = passkey.assert({ challenge, origin });
    expect(await verify(seat, id, response)).toBe(204);
    expect(await verify(seat, id, response)).toBe("passkey_refused");
    const { id: next } = await begin(seat, approval(newId("po")));
    expect(await verify(seat, next, response)).toBe("passkey_refused");
  });

  it.each<[string, Partial<Parameters<Authenticator["assert"]>[0]>]>([
    ["another page", { origin: "https://evil.example", host: "127.0.0.1" }],
    ["another host", { host: "evil.example" }],
    ["a device that did not verify the person", { isVerified: false }],
    ["another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
  ])("is refused from %s, and the challenge stays open", async (_what, wrong) => {
    const seat = await approver();
    const passkey = await addPasskey(gateway, seat);
    const { id, challenge } = await begin(seat, approval(newId("po")));
    expect(await verify(seat, id, passkey.assert({ challenge, origin, ...wrong }))).toBe("passkey_refused");
    expect(await verify(seat, id, passkey.assert({ challenge, origin }))).toBe(204);
  });

  it("is refused from a passkey of somebody else, from a copy that has counted less, and as nonsense", async () => {
    const [seat, other] = [await approver(), await approver()];
    const [passkey, others] = [await addPasskey(gateway, seat), await addPasskey(gateway, other)];
    const { id, challenge } = await begin(seat, approval(newId("po")));
    expect(await verify(seat, id, others.assert({ challenge, origin }))).toBe("passkey_refused");
    const good = passkey.assert({ challenge, origin });
    expect(await verify(other, id, good)).toBe("passkey_refused");
    expect(await verify(seat, id, { ...good, response: { ...good.response, signature: "AAAA" } })).toBe(
      "passkey_refused",
    );
    expect(await verify(seat, id, good)).toBe(204);
    passkey.counter = 0;
    const again = await begin(seat, approval(newId("po")));
    expect(await verify(seat, again.id, passkey.assert({ challenge: again.challenge, origin }))).toBe(
      "passkey_refused",
    );
    expect(await verify(seat, again.id, { id: "!", type: "public-key" })).not.toBe(204);
  });

  it("is in the audit log once for each confirmation that it was refused for, and for nothing that was not begun", async () => {
    const seat = await approver();
    const passkey = await addPasskey(gateway, seat);
    const { id, challenge } = await begin(seat, approval(newId("po")));
    const refused = passkey.assert({ challenge, origin, isVerified: false });
    const ids = [id, id, newId("sup"), "nothing"];
    expect(await Promise.all(ids.map((each) => verify(seat, each, refused)))).toEqual(
      ids.map(() => "passkey_refused"),
    );
    const { body: me } = await gateway.call("GET", "/v1/me", { headers: seat.headers });
    const path = `/v1/audit-log?actor=${String(me.principal)}`;
    const { body } = await gateway.call("GET", path, { headers: seat.headers });
    const logged = (body.data as Record<string, unknown>[]).filter(
      ({ action }) => action === "StepUpRefused",
    );
    expect(logged.map(({ objectId }) => objectId)).toEqual([id]);
  });
});
