/** `npm run tenants`: tenants, API keys, people and the completion delay of a book. */
import type { z } from "zod";
import { type Scope, scope, scopes } from "../../contracts/http/scopes.ts";
import { bookIdOf, newId } from "../../contracts/ids/ids.ts";
import { SetCompletionDelay } from "../../contracts/messages/orders.ts";
import { parsePrincipal, rejectBadAddresses } from "../../services/api-gateway/keys/domain/key-format.ts";
import { createTenant, parseName } from "../../services/api-gateway/tenants/create-tenant.ts";
import {
  createKeyAsOperator,
  type OperatorKeyRequest,
} from "../../services/api-gateway/keys/create-key-as-operator.ts";
import { listKeysForOperator } from "../../services/api-gateway/keys/store/api-keys.ts";
import { listTenants } from "../../services/api-gateway/tenants/store/tenants.ts";
import { reactivateTenant, suspendTenant } from "../../services/api-gateway/tenants/suspend-tenant.ts";
import { RpcClient } from "../../services/platform/rpc/client.ts";
import { runTool } from "./command-line/command-line.ts";
import { operatorNats } from "./command-line/connections.ts";
import { record } from "./tenants/audit.ts";
import {
  asGateway,
  asMisuse,
  checkTenant,
  inGateway,
  type Report,
  tenantOf,
  type Work,
} from "./tenants/gateway-work.ts";
import { type Given, Misuse } from "./command-line/given.ts";
import { modeOf } from "./command-line/mode.ts";
import { momentOf } from "./command-line/moment.ts";
import { peopleCommands } from "./tenants/people.ts";
import { revokeCommand } from "./tenants/revoke-key.ts";
import type { Tool } from "./command-line/tool.ts";

const notes = `<tenant> is an id or a name. Tenants create further keys themselves: POST /v1/api-keys.
Scopes: ${scopes.join(" ")}`;

function scopesOf(text: string): readonly Scope[] {
  if (text === "all") return scopes;
  return text.split(",").map((name) => {
    const parsed = scope.safeParse(name.trim());
    if (!parsed.success)
      throw new Misuse(`--scopes: ${JSON.stringify(name)} is not one of ${scopes.join(", ")}`);
    return parsed.data;
  });
}

function expiryOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const expiresAt = momentOf(text);
  if (expiresAt === undefined || expiresAt.getTime() <= Date.now())
    throw new Misuse("--expires must be a future time, such as 2031-01-31T00:00:00Z");
  return expiresAt;
}

const nameOf = (given: Given) => asMisuse("<name>", () => parseName(given.argument(0)));

/** What the options of `create-key` say, without the tenant, which has to be looked up. */
function keyOf(given: Given): Omit<OperatorKeyRequest, "tenant"> {
  checkTenant(given.required("tenant"));
  const expiresAt = expiryOf(given.option("expires"));
  const name = given.option("name");
  const addresses = given
    .option("ip")
    ?.split(",")
    .map((block) => block.trim());
  if (addresses !== undefined) asMisuse("--ip", () => rejectBadAddresses(addresses));
  return {
    mode: modeOf(given),
    principal: asMisuse("--principal", () => parsePrincipal(given.required("principal"))),
    scopes: scopesOf(given.required("scopes")),
    ...(name === undefined ? {} : { name: asMisuse("--name", () => parseName(name)) }),
    ...(addresses === undefined ? {} : { ipAllowlist: addresses }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

async function createKey(unit: Work, given: Given): Promise<Report> {
  const tenant = await tenantOf(unit.sql, given.required("tenant"));
  const request = { tenant, ...keyOf(given) };
  const { id, key } = await createKeyAsOperator(unit, request);
  await record(unit, given, request, [["ApiKeyCreated", id]]);
  return () => given.print({ id, key }, `${id}  ${key}`, "Save it now: it is not shown again.");
}

async function listAll({ sql }: Work, given: Given): Promise<Report> {
  const found = await listTenants(sql);
  return () => {
    if (found.length === 0) given.note("no tenants");
    for (const { id, status, name, createdAt } of found) {
      const [testBook, liveBook] = [bookIdOf(id, "Test"), bookIdOf(id, "Live")];
      given.print(
        { id, name, status, createdAt, testBook, liveBook },
        `${id}  ${status.padEnd(9)}  ${name}`,
        `  Test ${testBook}  Live ${liveBook}`,
      );
    }
  };
}

async function listKeys({ sql }: Work, given: Given): Promise<Report> {
  const keys = await listKeysForOperator(sql, await tenantOf(sql, given.argument(0)));
  return () => {
    for (const { id, shown, principal, scopes: granted, expiresAt, revokedAt } of keys) {
      const end = revokedAt === null ? (expiresAt?.toISOString() ?? "no expiry") : "revoked";
      given.print(
        { id, shown, principal, scopes: granted, expiresAt, revokedAt },
        `${id}  ${shown}  ${principal}  ${end}  ${granted.join(",")}`,
      );
    }
  };
}

async function create({ sql }: Work, given: Given): Promise<Report> {
  const { id, name } = await createTenant(sql, nameOf(given));
  return () => given.print({ id, name }, id);
}

/** The records and lines say whether anything changed: both commands can be repeated. */
async function setActive(unit: Work, given: Given, active: boolean): Promise<Report> {
  const id = await tenantOf(unit.sql, given.argument(0));
  const changed = await (active ? reactivateTenant : suspendTenant)(unit, id);
  const action = active ? "TenantReactivated" : "TenantSuspended";
  if (changed) await record(unit, given, { tenant: id, mode: null }, [[action, id]]);
  const line = active
    ? changed
      ? "active again"
      : "already active"
    : changed
      ? "suspended"
      : "already suspended";
  return () => given.print({ id, status: active ? "Active" : "Suspended", changed }, line);
}

function settingOf(given: Given): z.output<typeof SetCompletionDelay.data> {
  const text = given.required("completes-after-banking-days");
  const days = /^\d+$/.test(text) ? Number(text) : undefined;
  const setting = SetCompletionDelay.data.safeParse({ completesAfterBankingDays: days });
  if (!setting.success) throw new Misuse("--completes-after-banking-days must be a whole number from 0 to 5");
  return setting.data;
}

/** Orders owns the settings of books: the request goes there as `operator`, on behalf of the tenant. */
async function setBook(given: Given): Promise<void> {
  const setting = settingOf(given);
  const bookMode = modeOf(given);
  const tenant = await asGateway(({ sql }) => tenantOf(sql, given.argument(0)));
  const principal = `operator:${given.by}`;
  const book = bookIdOf(tenant, bookMode);
  const caller = { book, tenant, mode: bookMode, principal, requestId: newId("req") };
  const nats = await operatorNats();
  try {
    const { value } = await new RpcClient(nats).request(SetCompletionDelay, { caller }, setting);
    const days = String(value.completesAfterBankingDays);
    const line = `settled ACH orders of the book complete after ${days} banking days`;
    given.print({ id: tenant, mode: bookMode, book, ...value }, line);
  } finally {
    await nats.drain();
  }
}

export const tenants: Tool = {
  name: "tenants",
  commands: {
    list: { about: "list tenants with their books", run: inGateway(listAll) },
    create: {
      about: "create an active tenant",
      takes: ["<name>"],
      changes: true,
      check: nameOf,
      run: inGateway(create),
    },
    suspend: {
      about: "refuse a tenant's API keys and people with 401, and hand none of its orders to a rail",
      takes: ["<tenant>"],
      changes: true,
      check: (given) => checkTenant(given.argument(0)),
      run: inGateway((unit, given) => setActive(unit, given, false)),
    },
    reactivate: {
      about: "undo a suspension",
      takes: ["<tenant>"],
      changes: true,
      check: (given) => checkTenant(given.argument(0)),
      run: inGateway((unit, given) => setActive(unit, given, true)),
    },
    set: {
      about: "set how many banking days a settled ACH order of its book waits for returns (2 unless set)",
      takes: ["<tenant>"],
      options: {
        mode: { value: "Test|Live", required: true },
        "completes-after-banking-days": { value: "<0 to 5>", required: true },
      },
      changes: true,
      check: (given) => {
        checkTenant(given.argument(0));
        modeOf(given);
        return settingOf(given);
      },
      run: setBook,
    },
    keys: {
      about: "list its keys, including revoked ones",
      takes: ["<tenant>"],
      check: (given) => checkTenant(given.argument(0)),
      run: inGateway(listKeys),
    },
    "create-key": {
      about: "create a key, shown once. Use it for the first key that may approve, set policy or issue keys",
      options: {
        tenant: { value: "<tenant>", required: true },
        mode: { value: "Test|Live", required: true },
        principal: { value: "<person or system>", required: true },
        scopes: { value: "all|<scope,…>", required: true },
        name: { value: "<text>" },
        ip: { value: "<address or CIDR,…>" },
        expires: { value: "<time>" },
      },
      changes: true,
      check: keyOf,
      run: inGateway(createKey),
    },
    ...peopleCommands,
    ...revokeCommand,
  },
  notes,
};

if (import.meta.main) await runTool(tenants);
