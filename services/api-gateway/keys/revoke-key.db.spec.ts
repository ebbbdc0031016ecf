import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/gateway.ts";
import { type Holder, KeyDesk } from "../../../test/stack/key-desk.ts";
import { revokeKey } from "./revoke-key.ts";

let ana: Holder;
let bob: Holder;
const gateway = await forThisFile(startGateway());
const desk = await KeyDesk.open(gateway);
beforeEach(async () => {
  [ana, bob] = await desk.people();
});

const path = "/v1/api-keys";

describe("a revocation of a key whose replacement waits", () => {
  async function waiting(overlapHours: number) {
    const key = await gateway.issue({ principal: "dora", scopes: ["orders:approve"] });
    const { body } = await desk.post(`${path}/${key.id}/rotate`, ana, { overlapHours });
    return { id: key.id, proposalId: String(body.proposalId) };
  }

  async function deniedBy(proposalId: string): Promise<unknown> {
    const { body } = await desk.get(`${path}/proposals?status=Denied`, bob);
    return (body["data"] as { id: string; decidedBy: string }[]).find(({ id }) => id === proposalId)
      ?.decidedBy;
  }

  it.each([0, 1])("denies it, with an overlap of %i hours", async (overlapHours) => {
    const { id, proposalId } = await waiting(overlapHours);
    expect((await desk.post(`${path}/${id}/revoke`, bob)).body).toMatchObject({ status: "Revoked" });
    expect(await deniedBy(proposalId)).toBe("bob");
    const late = await desk.post(`${path}/proposals/${proposalId}/approve`, bob);
    expect(late.body).toMatchObject({ code: "invalid_state_transition", currentStatus: "Denied" });
  });

  it("denies it where the operator revokes the key after its rotation ended it", async () => {
    const { id, proposalId } = await waiting(0);
    await gateway.units.run((unit) => revokeKey(unit, id));
    expect(await deniedBy(proposalId)).toBe("operator");
    await expect(gateway.units.run((unit) => revokeKey(unit, id))).rejects.toThrow("no active key");
  });

  it("denies it where the key is revoked with the key that made it", async () => {
    const child = await desk.make(ana, { scopes: ["orders:read", "orders:approve"] });
    await desk.post(`${path}/proposals/${String(child.body.proposalId)}/approve`, bob);
    const rotated = await desk.post(`${path}/${String(child.body.id)}/rotate`, bob, { overlapHours: 1 });
    await desk.post(`${path}/${ana.id}/revoke`, bob, { includeDescendants: true });
    expect(await deniedBy(String(rotated.body.proposalId))).toBe("bob");
  });
});
