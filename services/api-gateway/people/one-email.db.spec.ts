import { describe, expect, it, vi } from "vitest";
import { newId, type TenantId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { advisoryLockWaits } from "../../../test/stack/database/lock-waits.ts";
import { patienceMs } from "../../../test/stack/until.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { type Invited, inviteTo, ownPage } from "../../../test/stack/people/people.ts";
import { createTenant } from "../tenants/create-tenant.ts";

const gateway = await forThisFile(startGateway());
const acme = gateway.tenant;
const { id: blue } = await createTenant(gateway.database.sql, "Blue Freight");
const [acmePassword, bluePassword] = ["the password at Acme", "the password at Blue"];

/** Somebody who is known at both companies. */
async function known(passwords = { atAcme: acmePassword, atBlue: bluePassword }) {
  const email = `${newId("per")}@example.com`;
  const invite = inviteTo(gateway);
  const atAcme = await invite({ email, password: passwords.atAcme });
  const atBlue = await invite({ email: email.toUpperCase(), tenant: blue, password: passwords.atBlue });
  return { email, atAcme, atBlue };
}

const newTenant = async () => (await createTenant(gateway.database.sql, newId("ten"))).id;

const attempt = (email: string, password: string, tenant?: TenantId) =>
  gateway.call("POST", "/auth/sign-in", { body: { email, password, tenant }, headers: ownPage(gateway) });

/** Where the sign-in leads to, or why it fails. */
async function signIn(email: string, password: string, tenant?: TenantId): Promise<unknown> {
  const { body } = await attempt(email, password, tenant);
  return body.code ?? (body.tenant as { id: string }).id;
}

async function failuresOf({ id }: Invited): Promise<number> {
  const counted = await gateway.database.sql(
    "select from audit where action = 'SignInFailed' and person_id = $1",
    [uuidOf(id as never)],
  );
  return counted.length;
}

describe("an email", () => {
  it("can be another person's at another tenant: an admin does not learn who is known there", async () => {
    const { email } = await inviteTo(gateway)({ tenant: blue });
    const { key } = await gateway.issue();
    const create = async (principal: string, address: string) => {
      const body = { principal, email: address, name: `Person ${principal}`, roles: [] };
      const { status, body: answer } = await gateway.call("POST", "/v1/people", { key, body });
      return answer.code ?? status;
    };
    expect(await create("rosa", email)).toBe(201);
    expect(await create("rose", email.toUpperCase())).toBe("name_taken");
  });
});

describe("a password", () => {
  it("leads to the tenant whose person has it", async () => {
    const { email } = await known();
    expect(await signIn(email, acmePassword)).toBe(acme);
    expect(await signIn(email, bluePassword)).toBe(blue);
    expect(await signIn(email, acmePassword)).toBe(acme);
  });

  it("that two people share leads to the tenant that was used last, or to the one that is named", async () => {
    const { email } = await known({ atAcme: acmePassword, atBlue: acmePassword });
    expect(await signIn(email, acmePassword, blue)).toBe(blue);
    expect(await signIn(email, acmePassword)).toBe(blue);
    expect(await signIn(email, acmePassword, acme)).toBe(acme);
    expect(await signIn(email, acmePassword)).toBe(acme);
  });

  it("leads only to the tenant that is named", async () => {
    const { email } = await known();
    expect(await signIn(email, acmePassword, blue)).toBe("sign_in_failed");
    expect(await signIn(email, acmePassword, newId("ten"))).toBe("sign_in_failed");
  });

  it("of a sixth person is refused without the tenant, until that person has signed in once", async () => {
    const email = `${newId("per")}@example.com`;
    const invite = inviteTo(gateway);
    for (let count = 0; count < 5; count += 1) await invite({ email, tenant: await newTenant() });
    const tenant = await newTenant();
    const { password } = await invite({ email, tenant, password: "the password at the sixth" });
    expect(await signIn(email, password)).toBe("sign_in_failed");
    expect(await signIn(email, password, tenant)).toBe(tenant);
    expect(await signIn(email, password)).toBe(tenant);
  });

  it("of a suspended person is refused, and that of the other person still works", async () => {
    const { email, atAcme } = await known();
    await gateway.asOwner(
      `update gateway.person set status = 'Suspended' where id = '${uuidOf(atAcme.id as never)}'`,
    );
    expect(await signIn(email, acmePassword)).toBe("sign_in_failed");
    expect(await signIn(email, bluePassword)).toBe(blue);
  });

  it("is refused with one text, however many people have the email", async () => {
    const { email } = await known();
    const answers = [
      await attempt(email, "wrong"),
      await attempt(email, "wrong", blue),
      await attempt("nobody@example.com", "wrong"),
      await attempt("nobody@example.com", "wrong", blue),
    ].map(({ status, body: { requestId: _id, ...body } }) => ({ status, ...body }));
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(answers[0]).toMatchObject({ status: 401, code: "sign_in_failed" });
  });
});

describe("a wrong password", () => {
  it("counts for each person of the email, because it was tried for each, and a right one for nobody", async () => {
    const { email, atAcme, atBlue } = await known();
    await signIn(email, "wrong");
    await signIn(email, acmePassword);
    await signIn(email, bluePassword);
    expect([await failuresOf(atAcme), await failuresOf(atBlue)]).toEqual([1, 1]);
  });

  it("at a named tenant counts there alone: ten keep its person out, and nobody else", async () => {
    const { email, atAcme, atBlue } = await known();
    await Promise.all(Array.from({ length: 11 }, () => signIn(email, "wrong", acme)));
    expect([await failuresOf(atAcme), await failuresOf(atBlue)]).toEqual([10, 0]);
    expect(await signIn(email, acmePassword)).toBe("sign_in_failed");
    expect(await signIn(email, acmePassword, acme)).toBe("sign_in_failed");
    expect(await signIn(email, bluePassword)).toBe(blue);
  });
});

describe("the time of a sign-in", () => {
  /** How long this process computes for a sign-in, whatever else the machine does. */
  const cpuMs = async (email: string, password: string) => {
    const began = process.cpuUsage();
    expect((await attempt(email, password)).status).toBe(200);
    // Linux knows their sum exactly, and how it divides only by samples.
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };

  it("does not tell how many people have the email", async () => {
    const alone = await inviteTo(gateway)();
    const { email, atAcme } = await known();
    await inviteTo(gateway)({ email, tenant: await newTenant() });
    const [ofOne, ofThree]: [number[], number[]] = [[], []];
    // By turns, and the least of ten: the process compiles and collects garbage in between.
    for (let count = 0; count < 10; count += 1) {
      ofOne.push(await cpuMs(alone.email, alone.password));
      ofThree.push(await cpuMs(email, atAcme.password));
    }
    expect(Math.min(...ofOne)).toBeGreaterThan(0.7 * Math.min(...ofThree));
  });

  it("does not tell whether anybody has the email: attempts wait for one another in any case", async () => {
    const email = "nobody@elsewhere.example";
    const waiting = () => advisoryLockWaits(gateway.database.sql);
    const refused = await gateway.units.run(async ({ sql }) => {
      await sql("select pg_advisory_xact_lock(hashtextextended('sign-in ' || $1, 0))", [email]);
      const answer = signIn(email.toUpperCase(), "wrong");
      await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: patienceMs, interval: 10 });
      // In an object, so that it is not awaited before the lock ends.
      return { answer };
    });
    expect(await refused.answer).toBe("sign_in_failed");
  });
});
