import { describe, expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { addPasskey, confirm, send } from "../../../test/stack/people/passkey-of.ts";
import { inviteTo, type Seat, sitDown } from "../../../test/stack/people/people.ts";

const gateway = await forThisFile(startGateway());
const invite = inviteTo(gateway);
const approver = async () =>
  sitDown(gateway, await invite({ roles: { Test: ["Approver", "Admin"], Live: [] } }));
const answerOf = async (answered: ReturnType<typeof send>) => {
  const { status, body } = await answered;
  return status < 300 ? status : body.code;
};

describe("a confirmation", () => {
  const begin = (seat: Seat, operation: string) => send(gateway, seat, "/auth/step-up", { operation });

  it("is of an operation that is confirmed, and of no other", async () => {
    const seat = await approver();
    await addPasskey(gateway, seat);
    for (const operation of [
      "createPaymentOrder",
      "listPeople",
      "registerPasskey",
      "fooBar",
      "constructor",
    ]) {
      expect((await begin(seat, operation)).body).toMatchObject({
        status: 400,
        code: "invalid_field",
        errors: [{ pointer: "/operation", code: "invalid_field" }],
      });
    }
    for (const operation of ["denyPaymentOrder", "putApprovalPolicy", "addPasskey", "removePasskey"]) {
      expect(await answerOf(begin(seat, operation))).toBe(201);
    }
  });

  it("is of an operation that the person's roles permit", async () => {
    const seat = await sitDown(gateway, await invite({ roles: { Test: ["Maker"], Live: [] } }));
    await addPasskey(gateway, seat);
    expect((await begin(seat, "approvePaymentOrder")).body).toMatchObject({
      code: "insufficient_scope",
      requiredScope: "orders:approve",
    });
    expect(await answerOf(begin(seat, "addPasskey"))).toBe(201);
  });

  it("can wait for its passkey twenty times at once in a session; those that nobody answers are deleted", async () => {
    const seat = await approver();
    await addPasskey(gateway, seat);
    const kept = async () =>
      (
        await gateway.database.sql<{ verified: boolean }>(
          `select u.verified_at is not null as verified
           from step_up u join session s on s.id = u.session_id
           where s.hash = sha256(convert_to($1, 'UTF8'))
           order by u.id`,
          [seat.token],
        )
      ).map(({ verified }) => verified);
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => answerOf(begin(seat, "denyPaymentOrder"))),
    );
    expect(answers.filter((answer) => answer === 201)).toHaveLength(20);
    expect(answers.filter((answer) => answer === "rate_limited")).toHaveLength(5);
    expect(await answerOf(send(gateway, seat, "/auth/passkeys/options"))).toBe("rate_limited");
    expect(await kept()).toEqual([true, ...Array(20).fill(false)]);
    await gateway.asOwner("update gateway.step_up set expires_at = now() where verified_at is null");
    expect(await answerOf(begin(seat, "denyPaymentOrder"))).toBe(201);
    expect(await kept()).toEqual([true, false]);
  });

  it("stays as evidence once it is answered", async () => {
    const seat = await approver();
    await confirm(gateway, seat, await addPasskey(gateway, seat), {
      operation: "denyPaymentOrder",
      ids: [newId("po")],
    });
    await expect(
      gateway.asOwner("delete from gateway.step_up where verified_at is not null"),
    ).rejects.toThrow("is evidence");
  });
});
