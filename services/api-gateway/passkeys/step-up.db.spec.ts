import { beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { ApproveOrder, DenyOrder } from "../../../contracts/messages/orders.ts";
import { anOrder } from "../../../test/stack/orders/an-order.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { addPasskey, confirm, type Confirmed, send } from "../../../test/stack/people/passkey-of.ts";
import { inviteTo, type Seat, sitDown } from "../../../test/stack/people/people.ts";

const gateway = await forThisFile(startGateway());
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

  it("needs a confirmation given in the book that it is about: one given in Test opens nothing in Live", async () => {
    const seat = await sitDown(gateway, await invite({ roles: { Test: ["Admin"], Live: ["Admin"] } }));
    const newKey = { name: "Reports", scopes: ["orders:read"] };
    const passkey = await addPasskey(gateway, seat);
    const stepUp = await confirm(gateway, seat, passkey, { operation: "createApiKey", body: newKey });
    const create = (mode: string) =>
      answerOf(send(gateway, seat, "/v1/api-keys", newKey, { ...stepUp, "quittance-mode": mode }));
    expect(await create("Live")).toBe("step_up_required");
    expect(await create("Test")).toBe(201);
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
