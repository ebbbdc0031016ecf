/** People whom only the operator can bring in: the first admins, and somebody who has lost their password. */
import { text as readAll } from "node:stream/consumers";
import { type Role, role, type RolesByMode } from "../../../contracts/http/roles.ts";
import type { Mode, PersonId } from "../../../contracts/ids/ids.ts";
import { parsePrincipal } from "../../../services/api-gateway/keys/domain/key-format.ts";
import { emailText, passwordText } from "../../../services/api-gateway/people/domain/email.ts";
import { type Invitation, invitePerson } from "../../../services/api-gateway/people/invite-person.ts";
import { recoverPerson } from "../../../services/api-gateway/people/change-password.ts";
import {
  listPeopleForOperator,
  listPeopleOfEmail,
} from "../../../services/api-gateway/people/store/people.ts";
import { parseName } from "../../../services/api-gateway/tenants/create-tenant.ts";
import { asMisuse, checkTenant, inGateway, type Report, tenantOf, type Work } from "./gateway-work.ts";
import { type Given, Misuse } from "../command-line/given.ts";
import type { Command } from "../command-line/tool.ts";

const bothAdmin: RolesByMode = { Test: ["Admin"], Live: ["Admin"] };

function emailOf(text: string): string {
  const { data } = emailText.safeParse(text);
  if (data === undefined) throw new Misuse(`${JSON.stringify(text)} is not an email address`);
  return data;
}

/** `Test:Maker,Live:Viewer`; Admin in both modes if it is left out. */
function rolesOf(text: string | undefined): RolesByMode {
  if (text === undefined) return bothAdmin;
  const given: Record<Mode, Role[]> = { Test: [], Live: [] };
  for (const part of text.split(",")) {
    const [mode, name] = part.trim().split(":");
    const parsed = role.safeParse(name);
    if ((mode !== "Test" && mode !== "Live") || !parsed.success) {
      const known = role.options.join(", ");
      throw new Misuse(`--roles: ${JSON.stringify(part)} is not such as Test:Maker. Roles: ${known}`);
    }
    given[mode].push(parsed.data);
  }
  return given;
}

function invitationOf(given: Given): Omit<Invitation, "tenant" | "by"> {
  checkTenant(given.required("tenant"));
  const principal = asMisuse("--principal", () => parsePrincipal(given.required("principal")));
  const name = given.option("name") ?? principal;
  return {
    principal,
    email: emailOf(given.required("email")),
    name: asMisuse("--name", () => parseName(name)),
    roles: rolesOf(given.option("roles")),
  };
}

/** Never an argument: other users of the machine see those. */
async function passwordOf(given: Given): Promise<{ password?: string }> {
  if (!given.has("password-stdin")) return {};
  const parsed = passwordText.safeParse((await readAll(process.stdin)).replace(/\r?\n$/, ""));
  if (!parsed.success) throw new Misuse("--password-stdin: the password needs 12 to 200 characters");
  return { password: parsed.data };
}

function printPassword(given: Given, record: { id: string; password: string }, wasGiven: boolean): void {
  const { id, password } = record;
  if (wasGiven) given.print({ id }, id);
  else
    given.print(record, `${id}  ${password}`, "Pass it on now: it is not shown again, and ends in 7 days.");
}

async function invite(unit: Work, given: Given): Promise<Report> {
  const tenant = await tenantOf(unit.sql, given.required("tenant"));
  const own = await passwordOf(given);
  const invitation = { tenant, ...invitationOf(given), ...own, by: `operator:${given.by}` };
  const invited = await invitePerson(unit, invitation);
  return () => printPassword(given, invited, own.password !== undefined);
}

/** The person of that email, of the tenant that is named if several have one. */
async function personOf({ sql }: Work, given: Given): Promise<PersonId> {
  const email = emailOf(given.argument(0));
  const named = given.option("tenant");
  const tenant = named === undefined ? undefined : await tenantOf(sql, named);
  const people = await listPeopleOfEmail(sql, email);
  const [person, ...others] = people.filter((each) => tenant === undefined || each.tenant.id === tenant);
  if (person === undefined) {
    throw new Error(
      `There is no person with the email ${email}${named === undefined ? "" : ` in ${named}`}.`,
    );
  }
  if (others.length > 0) {
    const names = people.map((each) => `${each.tenant.name} (${each.tenant.id})`).join(", ");
    throw new Error(
      `Several tenants have a person with the email ${email}: ${names}. Name one with --tenant.`,
    );
  }
  return person.id;
}

async function recover(unit: Work, given: Given): Promise<Report> {
  const own = await passwordOf(given);
  const whose = { id: await personOf(unit, given), ...own, by: `operator:${given.by}` };
  const recovered = await recoverPerson(unit, whose);
  return () => printPassword(given, recovered, own.password !== undefined);
}

async function list({ sql }: Work, given: Given): Promise<Report> {
  const people = await listPeopleForOperator(sql, await tenantOf(sql, given.argument(0)));
  return () => {
    for (const person of people) {
      const { id, principal, email, status, roles } = person;
      const inMode = (mode: Mode) => roles[mode].map((each) => `${mode}:${each}`);
      const shown = [...inMode("Test"), ...inMode("Live")].join(",");
      given.print(person, `${id}  ${status.padEnd(9)}  ${principal}  ${email}  ${shown}`);
    }
  };
}

const passwordOption = { "password-stdin": {} } as const;

export const peopleCommands: Readonly<Record<string, Command>> = {
  people: {
    about: "list its people with their roles",
    takes: ["<tenant>"],
    check: (given) => checkTenant(given.argument(0)),
    run: inGateway(list),
  },
  invite: {
    about: "create a person with any roles, such as the first two admins. Prints a password, or reads one",
    options: {
      tenant: { value: "<tenant>", required: true },
      principal: { value: "<person>", required: true },
      email: { value: "<email>", required: true },
      name: { value: "<text>" },
      roles: { value: "<Test:Role,Live:Role,…>" },
      ...passwordOption,
    },
    changes: true,
    check: invitationOf,
    run: inGateway(invite),
  },
  recover: {
    about: "give a person a new password and end their sessions. Name the --tenant if several have the email",
    takes: ["<email>"],
    options: { tenant: { value: "<tenant>" }, ...passwordOption },
    changes: true,
    check: (given) => {
      const tenant = given.option("tenant");
      if (tenant !== undefined) checkTenant(tenant);
      emailOf(given.argument(0));
    },
    run: inGateway(recover),
  },
};
