import { describe, expect, it } from "vitest";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { type Invited, inviteTo, ownPage, sitDown } from "../../../test/stack/people/people.ts";

const gateway = await forThisFile(
  startGateway({ TRUSTED_PROXIES: "127.0.0.1", FAILED_KEYS_PER_MINUTE: "12" }),
);
const invite = inviteTo(gateway);
const newPassword = "a sentence of my own";

/** Tries to sign in at the tenant from an address, and answers the status or the error code. */
async function attempt(email: string, password: string, from: string): Promise<unknown> {
  const { status, body } = await gateway.call("POST", "/auth/sign-in", {
    body: { email, password, tenant: gateway.tenant },
    headers: { ...ownPage(gateway), "x-forwarded-for": from },
  });
  return status === 200 ? status : body.code;
}
const fail = (email: string, addresses: readonly string[]) =>
  Promise.all(addresses.map((from) => attempt(email, "wrong", from)));
const tenTimes = (from: string) => Array<string>(10).fill(from);

/** As if somebody had failed to sign in as this person, from addresses all over the world. */
async function failedElsewhere({ id }: Invited, times: number): Promise<void> {
  await gateway.asOwner(
    `insert into gateway.audit (id, tenant_id, actor, action, person_id, address)
     select gen_random_uuid(), '${uuidOf(gateway.tenant)}', 'x', 'SignInFailed', '${uuidOf(id as never)}',
       '203.0.113.' || n
     from generate_series(1, ${String(times)}) n`,
  );
}

describe("a person's password", () => {
  it("can't be tried from an address that failed ten times in an hour, and can from others", async () => {
    const { email, password } = await invite();
    await fail(email, tenTimes("192.0.2.1"));
    expect(await attempt(email, password, "192.0.2.1")).toBe("sign_in_failed");
    expect(await attempt(email, password, "192.0.2.2")).toBe(200);
  });

  it("can't be tried from one /64 of IPv6 either, however often the address within it changes", async () => {
    const { email, password } = await invite();
    const addresses = Array.from({ length: 10 }, (_none, host) => `2001:db8::${String(host + 1)}`);
    await fail(email, addresses);
    expect(await attempt(email, password, "2001:db8::ffff")).toBe("sign_in_failed");
    expect(await attempt(email, password, "2001:db8:0:1::1")).toBe(200);
  });

  it("can be tried after a hundred failures from everywhere only where the person has signed in before", async () => {
    const person = await invite();
    const { email, password } = person;
    expect(await attempt(email, password, "198.51.100.1")).toBe(200);
    await failedElsewhere(person, 99);
    expect(await attempt(email, password, "198.51.100.2")).toBe(200);
    await failedElsewhere(person, 1);
    expect(await attempt(email, password, "198.51.100.3")).toBe("sign_in_failed");
    expect(await attempt(email, password, "198.51.100.1")).toBe(200);
  });

  it("can't be tried by changing it in a session: wrong ones count as failed sign-ins", async () => {
    const person = await invite();
    const seat = await sitDown(gateway, person);
    const change = async (currentPassword: string, from: string) => {
      const headers = { ...seat.headers, "x-forwarded-for": from };
      const body = { currentPassword, newPassword };
      const answer = await gateway.call("POST", "/auth/password", { headers, body });
      return answer.status === 200 ? 200 : answer.body.code;
    };
    const wrong = await Promise.all(tenTimes("192.0.2.10").map((from) => change("wrong", from)));
    expect(new Set(wrong)).toEqual(new Set(["sign_in_failed"]));
    expect(await change(person.password, "192.0.2.10")).toBe("sign_in_failed");
    expect(await attempt(person.email, person.password, "192.0.2.10")).toBe("sign_in_failed");
    const [logged] = await gateway.database.sql<{ count: number; details: object }>(
      "select count(*)::int, details from audit where action = 'SignInFailed' and person_id = $1 group by details",
      [uuidOf(person.id as never)],
    );
    expect(logged).toEqual({ count: 10, details: { method: "PasswordChange" } });
    expect(await change(person.password, "192.0.2.11")).toBe(200);
    expect(await attempt(person.email, newPassword, "192.0.2.11")).toBe(200);
  });
});

describe("an address", () => {
  it("that guessed too often, whoever's password, must wait with the right one, too; others need not", async () => {
    const { email, password } = await invite();
    // A proxy may name the port too: that makes no other address of it.
    const guesses = Array.from({ length: 12 }, (_, index) =>
      attempt(`${newId("per")}@example.com`, "Password1", `192.0.2.20:${String(4_000 + index)}`),
    );
    expect(new Set(await Promise.all(guesses))).toEqual(new Set(["sign_in_failed"]));
    const refused = await gateway.call("POST", "/auth/sign-in", {
      body: { email, password },
      headers: { ...ownPage(gateway), "x-forwarded-for": "192.0.2.20" },
    });
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await attempt(email, password, "192.0.2.21")).toBe(200);
  });

  it("that sends many wrong passwords of a person at once does not make the right one wait elsewhere", async () => {
    const { id, email, password } = await invite();
    const wrong = fail(email, tenTimes("192.0.2.40"));
    expect(await attempt(email, password, "192.0.2.41")).toBe(200);
    const tried = await gateway.database.sql(
      "select from audit where action = 'SignInFailed' and person_id = $1",
      [uuidOf(id as never)],
    );
    expect(tried.length).toBeLessThan(8);
    await wrong;
  });

  it("from which many people sign in rightly never waits", async () => {
    const { email, password } = await invite();
    for (let count = 0; count < 15; count += 1) {
      expect(await attempt(email, password, "192.0.2.30")).toBe(200);
    }
  });
});
