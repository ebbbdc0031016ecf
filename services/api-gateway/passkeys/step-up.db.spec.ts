import { beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { ApproveOrder, DenyOrder } from "../../../contracts/messages/orders.ts";
import { anOrder } from "../../../test/stack/an-order.ts";
import { Authenticator } from "../../../test/stack/authenticator.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/gateway.ts";
import { addPasskey, challengeIn, confirm, type Confirmed, send } from "../../../test/stack/passkey-of.ts";
import { inviteTo, type Seat, sitDown } from "../../../test/stack/people.ts";

const gateway = await forThisFile(startGateway());
const { origin } = new URL(gateway.url);
const invite = inviteTo(gateway);
let approved: string[] = [];
beforeEach(async () => {
  approved = [];
  await gateway.owner(ApproveOrder, ({ data }) => {
    approved.push(data.id);
    return anOrder({ id: data.id });
  });
  await gateway.owner(DenyOrder, ({ data }) => anOrder({ id: data.id }));
});

const hash = "ab".repeat(32);
const approver = async () =>
  sitDown(gateway, await invite({ roles: { Test: ["Approver", "Admin"], Live: [] } }));
const approval = (id: string, orderHash = hash): Confirmed => ({
  operation: "approvePaymentOrder",
  ids: [id],
  orderHashes: [orderHash],
});
const approve = (
  seat: Seat,
  id: string,
  headers: Record<string, string>,
  body: object = { orderHash: hash },
) => send(gateway, seat, `/v1/payment-orders/${id}/approve`, body, headers);
const answerOf = async (answered: ReturnType<typeof send>) => {
  const { status, body } = await answered;
  return status < 300 ? status : body.code;
};
const begin = async (seat: Seat, what: Confirmed) => {
  const { body } = await send(gateway, seat, "/auth/step-up", what);
  return { id: String(body.id), challenge: challengeIn(body.options) };
};
const verify = (seat: Seat, id: string, response: object) =>
  answerOf(send(gateway, seat, `/auth/step-up/${id}/verify`, { response }));

describe("a decision in a session", () => {
  it("counts once a passkey has confirmed it", async () => {
    const seat = await approver();
    const id = newId("po");
    const stepUp = await confirm(gateway, seat, await addPasskey(gateway, seat), approval(id));
    expect(await answerOf(approve(seat, id, stepUp))).toBe(200);
    expect(approved).toEqual([id]);
  });

  it("is refused without a confirmation, and asks orders nothing", async () => {
    const seat = await approver();
    await addPasskey(gateway, seat);
    const id = newId("po");
    expect(await answerOf(approve(seat, id, {}))).toBe("step_up_required");
    expect(await answerOf(approve(seat, id, { "step-up": newId("sup") }))).toBe("step_up_required");
    expect(await answerOf(approve(seat, id, { "step-up": "yes" }))).toBe("step_up_required");
    expect(approved).toEqual([]);
  });

  it("needs a confirmation of this operation, order and content, in this book", async () => {
    const seat = await approver();
    const passkey = await addPasskey(gateway, seat);
    const id = newId("po");
    const confirmed = (what: Confirmed) => confirm(gateway, seat, passkey, what);
    const other = { operation: "denyPaymentOrder", ids: [id] };
    expect(await answerOf(approve(seat, id, await confirmed(other)))).toBe("step_up_required");
    expect(await answerOf(approve(seat, id, await confirmed(approval(newId("po")))))).toBe(
      "step_up_required",
    );
    const changed = await confirmed(approval(id, "cd".repeat(32)));
    expect(await answerOf(approve(seat, id, changed))).toBe("step_up_required");
    const withoutHash = await confirmed({ operation: "approvePaymentOrder", ids: [id] });
    expect(await answerOf(approve(seat, id, withoutHash))).toBe("step_up_required");
    expect(approved).toEqual([]);
    expect(await answerOf(approve(seat, id, await confirmed(approval(id))))).toBe(200);
  });

  it("needs a confirmation of the body that it sends: who the new person is", async () => {
    const seat = await approver();
    const passkey = await addPasskey(gateway, seat);
    const rosa = { principal: "rosa", email: "rosa@example.com", name: "Rosa", roles: ["Viewer"] };
    const create = (body: object, stepUp: object) =>
      answerOf(send(gateway, seat, "/v1/people", body, { ...stepUp }));
    const confirmed = (body?: object) => confirm(gateway, seat, passkey, { operation: "createPerson", body });
    expect(await create({ ...rosa, roles: ["Admin"] }, await confirmed(rosa))).toBe("step_up_required");
    expect(await create(rosa, await confirmed())).toBe("step_up_required");
    const stepUp = await confirmed(rosa);
    const { roles, ...others } = rosa;
    expect(await create({ roles, ...others }, stepUp)).toBe(201);
    expect(await create(rosa, stepUp)).toBe("step_up_required");
  });

  it("takes an approval only with the hash of what was shown", async () => {
    const seat = await approver();
    const id = newId("po");
    const stepUp = await confirm(gateway, seat, await addPasskey(gateway, seat), approval(id));
    expect(await answerOf(approve(seat, id, stepUp, {}))).toBe("missing_field");
    expect(approved).toEqual([]);
  });

  it("uses a confirmation once, and again only for a repetition with its Idempotency-Key", async () => {
    const seat = await approver();
    const passkey = await addPasskey(gateway, seat);
    const [id, second] = [newId("po"), newId("po")];
    const stepUp = await confirm(gateway, seat, passkey, approval(id));
    const keyed = { ...stepUp, "idempotency-key": "first" };
    expect(await answerOf(approve(seat, id, keyed))).toBe(200);
    expect(await answerOf(approve(seat, id, keyed))).toBe(200);
    expect(await answerOf(approve(seat, id, { ...stepUp, "idempotency-key": "other" }))).toBe(
      "step_up_required",
    );
    expect(await answerOf(approve(seat, id, stepUp))).toBe("step_up_required");
    const unkeyed = await confirm(gateway, seat, passkey, approval(second));
    expect(await answerOf(approve(seat, second, unkeyed))).toBe(200);
    expect(await answerOf(approve(seat, second, unkeyed))).toBe("step_up_required");
  });

  it("lets one of two decisions through that use a confirmation at once", async () => {
    const seat = await approver();
    const id = newId("po");
    const stepUp = await confirm(gateway, seat, await addPasskey(gateway, seat), approval(id));
    const answers = await Promise.all([1, 2, 3].map(() => answerOf(approve(seat, id, stepUp))));
    expect(answers.map(String).toSorted((a, b) => a.localeCompare(b))).toEqual([
      "200",
      "step_up_required",
      "step_up_required",
    ]);
  });

  it("decides up to 50 orders by one confirmation, each by itself", async () => {
    const seat = await approver();
    const passkey = await addPasskey(gateway, seat);
    const ids = Array.from({ length: 50 }, () => newId("po"));
    const orderHashes = ids.map(() => hash);
    const stepUp = await confirm(gateway, seat, passkey, {
      operation: "approvePaymentOrder",
      ids,
      orderHashes,
    });
    const [first = "", second = ""] = ids;
    expect(await answerOf(approve(seat, first, stepUp))).toBe(200);
    expect(await answerOf(approve(seat, second, stepUp))).toBe(200);
    expect(await answerOf(approve(seat, first, stepUp))).toBe("step_up_required");
    const tooMany = [...ids, newId("po")];
    expect(await answerOf(send(gateway, seat, "/auth/step-up", { operation: "x", ids: tooMany }))).toBe(
      "invalid_field",
    );
  });

  it("can't use a confirmation of somebody else, or of another session of one's own", async () => {
    const invited = await invite({ roles: { Test: ["Approver"], Live: [] } });
    const [seat, elsewhere] = [await sitDown(gateway, invited), await sitDown(gateway, invited)];
    const id = newId("po");
    const stepUp = await confirm(gateway, seat, await addPasskey(gateway, seat), approval(id));
    expect(await answerOf(approve(elsewhere, id, stepUp))).toBe("step_up_required");
    expect(await answerOf(approve(await approver(), id, stepUp))).toBe("step_up_required");
    expect(await answerOf(approve(seat, id, stepUp))).toBe(200);
  });

  it("can't use a confirmation after two minutes", async () => {
    const seat = await approver();
    const id = newId("po");
    const stepUp = await confirm(gateway, seat, await addPasskey(gateway, seat), approval(id));
    await gateway.asOwner("update gateway.step_up set expires_at = now()");
    expect(await answerOf(approve(seat, id, stepUp))).toBe("step_up_required");
  });

  it("can't use a confirmation by a passkey that has been removed since", async () => {
    const seat = await approver();
    const id = newId("po");
    const stepUp = await confirm(gateway, seat, await addPasskey(gateway, seat), approval(id));
    await gateway.asOwner("update gateway.passkey set removed_at = now()");
    expect(await answerOf(approve(seat, id, stepUp))).toBe("step_up_required");
    expect(approved).toEqual([]);
  });

  it("is refused as not found for an id that nothing can have", async () => {
    const seat = await approver();
    const stepUp = await confirm(gateway, seat, await addPasskey(gateway, seat), approval(newId("po")));
    expect(await answerOf(approve(seat, "po_%00", stepUp))).toBe("not_found");
  });

  it("needs one for every other decision: denials, people, keys and the policy", async () => {
    const seat = await approver();
    await addPasskey(gateway, seat);
    const paths = [`/v1/payment-orders/${newId("po")}/deny`, "/v1/people", "/v1/api-keys"];
    for (const path of paths) expect(await answerOf(send(gateway, seat, path))).toBe("step_up_required");
    const policy = await gateway.call("PUT", "/v1/approval-policy", { body: {}, headers: seat.headers });
    expect(policy.body.code).toBe("step_up_required");
  });

  it("needs none by an API key", async () => {
    const { key } = await gateway.issue({ principal: "machine" });
    const id = newId("po");
    const { status } = await gateway.call("POST", `/v1/payment-orders/${id}/approve`, { key, body: {} });
    expect(status).toBe(200);
  });

  it("is kept in the audit log with the passkey, and the passkey's signature with the step-up", async () => {
    const seat = await approver();
    const id = newId("po");
    const stepUp = await confirm(gateway, seat, await addPasskey(gateway, seat), approval(id));
    await approve(seat, id, stepUp);
    const { body } = await gateway.call("GET", "/v1/audit-log?limit=5", { headers: seat.headers });
    expect(body.data).toContainEqual(
      expect.objectContaining({ action: "StepUpUsed", objectId: id }) as unknown,
    );
    const [kept] = await gateway.database.sql<{ assertion: Record<string, string> }>(
      "select assertion from step_up where $1 = any (object_ids)",
      [id],
    );
    expect(Object.keys(kept?.assertion ?? {}).toSorted()).toEqual([
      "authenticatorData",
      "clientDataJSON",
      "signature",
    ]);
  });
});

it("a confirmation of something new is kept in the audit log without an object", async () => {
  const seat = await approver();
  const newKey = { name: "Reports", scopes: ["orders:read"] };
  const passkey = await addPasskey(gateway, seat);
  const stepUp = await confirm(gateway, seat, passkey, { operation: "createApiKey", body: newKey });
  await send(gateway, seat, "/v1/api-keys", newKey, stepUp);
  const { body } = await gateway.call("GET", "/v1/audit-log?limit=5", { headers: seat.headers });
  const used = (body.data as Record<string, unknown>[]).find(({ action }) => action === "StepUpUsed");
  expect(used).toMatchObject({ objectId: null, details: { operation: "createApiKey" } });
});

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
