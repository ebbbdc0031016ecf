import { describe, expect, it } from "vitest";
import { newId, type PersonId, uuidOf } from "../../../contracts/ids/ids.ts";
import { Authenticator } from "../../../test/stack/people/authenticator.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { addPasskey, challengeIn, confirm, send } from "../../../test/stack/people/passkey-of.ts";
import { inviteTo, type Seat, sitDown } from "../../../test/stack/people/people.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { until } from "../../../test/stack/until.ts";

const gateway = await forThisFile(startGateway());
const { origin } = new URL(gateway.url);
const invite = inviteTo(gateway);

const challengeFor = async (seat: Seat) =>
  challengeIn((await send(gateway, seat, "/auth/passkeys/options")).body);
const add = async (seat: Seat, response: object, headers = {}) => {
  const { status, body } = await send(gateway, seat, "/auth/passkeys", { name: "Phone", response }, headers);
  return status === 201 ? status : body.code;
};
const listed = async (seat: Seat) => {
  const { body } = await gateway.call("GET", "/auth/passkeys", { headers: seat.headers });
  return body.items as { id: string; name: string }[];
};
const remove = async (seat: Seat, id: string, headers = {}) => {
  const path = `/auth/passkeys/${id}`;
  const { status, body } = await gateway.call("DELETE", path, { headers: { ...seat.headers, ...headers } });
  return status === 204 ? status : body.code;
};

describe("a person's first passkey", () => {
  it("is added soon after the sign-in, and listed to this person alone", async () => {
    const [seat, other] = [await sitDown(gateway, await invite()), await sitDown(gateway, await invite())];
    await addPasskey(gateway, seat);
    expect(await listed(seat)).toMatchObject([{ name: "Laptop", lastUsedAt: null }]);
    expect(await listed(other)).toEqual([]);
  });

  it("is refused as long as somebody else knows the password: whoever gave it could decide as this person", async () => {
    const { email, password } = await inviteTo(gateway)({ password: undefined });
    const seat = await sitDown(gateway, { email, password });
    for (const path of ["/auth/passkeys/options", "/auth/passkeys"]) {
      const response = new Authenticator().register({ challenge: "AAAA", origin });
      const body = path.endsWith("options") ? {} : { name: "Laptop", response };
      expect((await send(gateway, seat, path, body)).body).toMatchObject({
        status: 403,
        code: "own_password_required",
      });
    }
    const newPassword = "a sentence of my own";
    const passwords = { currentPassword: password, newPassword };
    expect((await send(gateway, seat, "/auth/password", passwords)).status).toBe(200);
    const own = await sitDown(gateway, { email, password: newPassword });
    await addPasskey(gateway, own);
    expect(await listed(own)).toHaveLength(1);
  });

  it("is refused ten minutes after the sign-in", async () => {
    const seat = await sitDown(gateway, await invite());
    const response = new Authenticator().register({ challenge: await challengeFor(seat), origin });
    await gateway.asOwner("update gateway.session set signed_in_at = now() - interval '10 minutes'");
    const later = await gateway.another();
    const answer = await fetch(`${later}/auth/passkeys`, {
      method: "POST",
      headers: { ...seat.headers, origin: new URL(later).origin, "content-type": "application/json" },
      body: JSON.stringify({ name: "Phone", response }),
    });
    expect(await answer.json()).toMatchObject({ code: "recent_sign_in_required" });
  });

  it.each<[string, Partial<Parameters<Authenticator["register"]>[0]>]>([
    ["of another page", { origin: "https://evil.example", host: "127.0.0.1" }],
    ["for another host", { host: "evil.example" }],
    ["without verifying the person", { isVerified: false }],
    ["of another challenge", { challenge: Buffer.alloc(32).toString("base64url") }],
  ])("is refused if it was made %s", async (_what, wrong) => {
    const seat = await sitDown(gateway, await invite());
    const challenge = await challengeFor(seat);
    const response = new Authenticator().register({ challenge, origin, ...wrong });
    expect(await add(seat, response)).toBe("passkey_refused");
    expect(await listed(seat)).toEqual([]);
  });

  it("answers a challenge once, and one of its own session", async () => {
    const [seat, other] = [await sitDown(gateway, await invite()), await sitDown(gateway, await invite())];
    const response = new Authenticator().register({ challenge: await challengeFor(seat), origin });
    expect(await add(other, response)).toBe("passkey_refused");
    expect(await add(seat, response)).toBe(201);
    expect(await add(other, response)).toBe("passkey_refused");
  });

  it("is asked for before anything is confirmed", async () => {
    const seat = await sitDown(gateway, await invite({ roles: { Test: ["Approver"], Live: [] } }));
    const { body } = await send(gateway, seat, "/auth/step-up", { operation: "approvePaymentOrder" });
    expect(body.code).toBe("passkey_missing");
  });
});

describe("a further passkey", () => {
  it("is added and removed only if an earlier one confirms it", async () => {
    const seat = await sitDown(gateway, await invite());
    const passkey = await addPasskey(gateway, seat);
    const second = new Authenticator();
    const make = async () => second.register({ challenge: await challengeFor(seat), origin });
    expect(await add(seat, await make())).toBe("step_up_required");
    const toAdd = await confirm(gateway, seat, passkey, { operation: "addPasskey" });
    expect(await add(seat, await make(), toAdd)).toBe(201);
    const [first = { id: "" }] = await listed(seat);
    expect(await remove(seat, first.id)).toBe("step_up_required");
    const toRemove = await confirm(gateway, seat, second, { operation: "removePasskey", ids: [first.id] });
    expect(await remove(seat, first.id, toRemove)).toBe(204);
    expect(await listed(seat)).toMatchObject([{ name: "Phone" }]);
    const { body } = await send(gateway, seat, "/auth/step-up", { operation: "addPasskey" });
    const { id, challenge } = { id: String(body.id), challenge: challengeIn(body.options) };
    const response = passkey.assert({ challenge, origin });
    expect((await send(gateway, seat, `/auth/step-up/${id}/verify`, { response })).body.code).toBe(
      "passkey_refused",
    );
  });

  it("is added once by one confirmation, whatever Idempotency-Key comes with it", async () => {
    const seat = await sitDown(gateway, await invite());
    const passkey = await addPasskey(gateway, seat);
    const confirmed = await confirm(gateway, seat, passkey, { operation: "addPasskey" });
    const headers = { ...confirmed, "idempotency-key": "once" };
    const adds = async () => {
      const challenge = await challengeFor(seat);
      return add(seat, new Authenticator().register({ challenge, origin }), headers);
    };
    expect([await adds(), await adds()]).toEqual([201, "step_up_required"]);
    expect(await listed(seat)).toHaveLength(2);
  });

  it("can't be removed by anybody else", async () => {
    const [seat, other] = [await sitDown(gateway, await invite()), await sitDown(gateway, await invite())];
    await addPasskey(gateway, seat);
    const [{ id } = { id: newId("pky") }] = await listed(seat);
    const stepUp = await confirm(gateway, other, await addPasskey(gateway, other), {
      operation: "removePasskey",
      ids: [id],
    });
    expect(await remove(other, id, stepUp)).toBe("not_found");
    expect(await listed(seat)).toHaveLength(1);
  });
});

describe("a session that ends while its request waits for the person", () => {
  /** Does as a change of the password does while `request` waits, and returns the answer to it. */
  async function endedDuring(person: string, request: () => Promise<unknown>): Promise<unknown> {
    const id = uuidOf(person as PersonId);
    const other = await connectTo(gateway.adminUrl);
    try {
      await other.query("begin");
      await other.query("select from gateway.person where id = $1 for no key update", [id]);
      const answer = request();
      await until("the request waits", async () => {
        const waiting = await gateway.database.sql(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return waiting.length > 0;
      });
      await other.query(
        "update gateway.session set ended_at = now(), ended_because = 'PasswordChanged' where person_id = $1",
        [id],
      );
      await other.query("commit");
      return await answer;
    } finally {
      await other.end();
    }
  }

  it("adds no passkey", async () => {
    const person = await invite();
    const seat = await sitDown(gateway, person);
    const response = new Authenticator().register({ challenge: await challengeFor(seat), origin });
    expect(await endedDuring(person.id, () => add(seat, response))).toBe("session_ended");
    expect(await listed(await sitDown(gateway, person))).toEqual([]);
  });

  it("removes none", async () => {
    const person = await invite();
    const seat = await sitDown(gateway, person);
    const passkey = await addPasskey(gateway, seat);
    const [{ id } = { id: "" }] = await listed(seat);
    const confirmed = await confirm(gateway, seat, passkey, { operation: "removePasskey", ids: [id] });
    expect(await endedDuring(person.id, () => remove(seat, id, confirmed))).toBe("session_ended");
    expect(await listed(await sitDown(gateway, person))).toHaveLength(1);
  });
});
