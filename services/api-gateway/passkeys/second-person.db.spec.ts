import { describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import type { Role } from "../../../contracts/http/roles.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { VerifyCounterparty } from "../../../contracts/messages/orders.ts";
import { PostLedgerTransaction } from "../../../contracts/messages/ledger-transactions.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { addPasskey, confirm, send } from "../../../test/stack/people/passkey-of.ts";
import { inviteTo, sitDown } from "../../../test/stack/people/people.ts";

const gateway = await forThisFile(startGateway());
const invite = inviteTo(gateway);

it("in a session a passkey confirms the verification of a counterparty, and of a posting by who can approve", async () => {
  await gateway.owner(PostLedgerTransaction, () => {
    throw new Refusal("approval_required", "Let an approver post it.");
  });
  const withRoles = async (roles: Role[]) =>
    sitDown(gateway, await invite({ roles: { Test: roles, Live: [] } }));
  const [maker, both] = [await withRoles(["Maker"]), await withRoles(["Maker", "Approver"])];
  const verification = `/v1/counterparties/${newId("cp")}/verify`;
  const posting = `/v1/ledger-transactions/${newId("lt")}/post`;
  expect((await send(gateway, maker, verification)).body.code).toBe("step_up_required");
  expect((await send(gateway, both, posting)).body.code).toBe("step_up_required");
  // The maker alone approves nothing, so the ledger refuses what needs an approval.
  expect((await send(gateway, maker, posting)).body.code).toBe("approval_required");
});

it("a session verifies only the counterparty that it has read, as its ETag says", async () => {
  const asked: unknown[] = [];
  await gateway.owner(VerifyCounterparty, ({ data }) => {
    asked.push(data.ifMatch);
    throw new Refusal("precondition_failed", "Read the counterparty again.");
  });
  const maker = await sitDown(gateway, await invite({ roles: { Test: ["Maker"], Live: [] } }));
  const passkey = await addPasskey(gateway, maker);
  const id = newId("cp");
  const verify = async (shown: { ifMatch?: string }, sent = shown.ifMatch) => {
    const what = { operation: "verifyCounterparty", ids: [id], body: {}, ...shown };
    const stepUp = await confirm(gateway, maker, passkey, what);
    const headers = sent === undefined ? stepUp : { ...stepUp, "if-match": sent };
    return (await send(gateway, maker, `/v1/counterparties/${id}/verify`, {}, headers)).body.code;
  };
  expect(await verify({})).toBe("invalid_request");
  expect(await verify({ ifMatch: "*" })).toBe("invalid_request");
  // A list would verify whichever of its versions is there by then.
  expect(await verify({ ifMatch: '"3", "4"' })).toBe("invalid_request");
  expect(await verify({ ifMatch: '"3"' })).toBe("precondition_failed");
  expect(asked).toEqual([[3]]);
  // Nor is a confirmation of one version worth anything for the next.
  expect(await verify({ ifMatch: '"3"' }, '"4"')).toBe("step_up_required");
  expect(await verify({}, '"4"')).toBe("step_up_required");
  expect(asked).toEqual([[3]]);
});

describe("a passkey that no browser would send", () => {
  it.each([
    ["transports that are no list", { transports: 5 }],
    ["a transport that is no text", { transports: [{}] }],
  ])("is refused with %s", async (_what, more) => {
    const seat = await sitDown(gateway, await invite());
    const response = { clientDataJSON: "AAAA", attestationObject: "AAAA", ...more };
    const credential = { id: "AAAA", rawId: "AAAA", type: "public-key", response };
    const body = { name: "Laptop", response: credential };
    expect((await send(gateway, seat, "/auth/passkeys", body)).body.code).toBe("invalid_field");
  });

  it("is not found by an id that nothing can have", async () => {
    const seat = await sitDown(gateway, await invite());
    const headers = { ...seat.headers, "step-up": newId("sup") };
    const removed = await gateway.call("DELETE", "/auth/passkeys/%00", { headers, body: {} });
    expect(removed.body.code).toBe("not_found");
  });
});
