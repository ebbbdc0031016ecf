import { expect, it } from "vitest";
import type { Counterparty } from "../../../../contracts/http/payments/counterparties.ts";
import { newId } from "../../../../contracts/ids/ids.ts";
import {
  ArchiveCounterparty,
  CreateCounterparty,
  GetCounterparty,
  ListCounterparties,
  ReplaceCounterparty,
  RestoreCounterparty,
  VerifyCounterparty,
} from "../../../../contracts/messages/orders.ts";
import { forThisFile } from "../../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../../test/stack/services/gateway.ts";

const gateway = await forThisFile(startGateway());
const { key } = await gateway.issue();

const at = "2026-03-02T15:00:00.000Z";
const stored: Counterparty = {
  id: newId("cp"),
  name: "Blue Freight",
  type: "Business",
  email: null,
  externalId: null,
  accounts: [{ rail: "Ach", accountNumber: "****6789", routingNumber: "021000021", accountType: null }],
  verificationStatus: "Unverified",
  verifiedBy: null,
  verifiedAt: null,
  archivedAt: null,
  archivedBy: null,
  detailsEnteredBy: ["tester"],
  metadata: {},
  version: 7,
  createdBy: "tester",
  createdAt: at,
  updatedAt: at,
};
const path = `/v1/counterparties/${stored.id}`;
const body = {
  name: "Blue Freight",
  type: "Business",
  accounts: [
    { rail: "Ach", accountNumber: "000123456789", routingNumber: "021000021" },
    { rail: "Rtp", accountNumber: "1234", routingNumber: "021000021" },
  ],
};
const encrypted = {
  ...body,
  accounts: [
    { rail: "Ach", accountNumber: { keyId: "k1", last4: "6789" }, routingNumber: "021000021" },
    // The last four of four digits would be the whole number.
    { rail: "Rtp", accountNumber: { keyId: "k1", last4: "" }, routingNumber: "021000021" },
  ],
};

it("encrypts account numbers before they leave the gateway, and sets the ETag of the version", async () => {
  const received: unknown[] = [];
  await gateway.owner(CreateCounterparty, ({ data }) => {
    received.push(data);
    return stored;
  });
  await gateway.owner(ReplaceCounterparty, ({ data }) => {
    received.push(data);
    return stored;
  });
  const made = await gateway.call("POST", "/v1/counterparties", { key, body });
  expect(made.status).toBe(201);
  expect(made.headers.get("location")).toBe(path);
  const put = await gateway.call("PUT", path, { key, body });
  expect(put.status).toBe(200);
  expect([made, put].map(({ headers }) => headers.get("etag"))).toEqual(['"7"', '"7"']);
  expect(received).toMatchObject([encrypted, { ...encrypted, id: stored.id }]);
  expect(JSON.stringify(received)).not.toContain("000123456789");
});

it("sets the ETag of a read", async () => {
  await gateway.owner(GetCounterparty, () => stored);
  expect((await gateway.call("GET", path, { key })).headers.get("etag")).toBe('"7"');
});

it.each<[string, object]>([
  ["archived=true", { archived: true }],
  ["archived=false&name=a&name=b", { archived: false, name: ["a", "b"] }],
])("reads ?%s", async (query, expected) => {
  const received: unknown[] = [];
  await gateway.owner(ListCounterparties, ({ data }) => {
    received.push(data);
    return { data: [], nextCursor: null, hasMore: false };
  });
  expect((await gateway.call("GET", `/v1/counterparties?${query}`, { key })).status).toBe(200);
  expect(received).toEqual([{ ...expected, limit: 25 }]);
  const mistyped = await gateway.call("GET", "/v1/counterparties?archived=yes", { key });
  expect(mistyped.body).toMatchObject({ code: "invalid_field", errors: [{ pointer: "?archived" }] });
});

it("answers a repeat with the answer that was stored before counterparties could be archived", async () => {
  const { archivedAt: _at, archivedBy: _by, ...older } = stored;
  await gateway.owner(CreateCounterparty, () => older as Counterparty);
  const { body: answer } = await gateway.call("POST", "/v1/counterparties", { key, body });
  expect(answer).toEqual(stored);
});

it.each<[string | undefined, number[] | undefined]>([
  [undefined, undefined],
  ["*", undefined],
  ['"7"', [7]],
  ['W/"7"', []],
])(
  "hands If-Match %j on as the versions %j, for PUT, verify, archive and restore",
  async (header, versions) => {
    const received: unknown[] = [];
    const record = ({ data }: { data: { ifMatch?: number[] | undefined } }) => {
      received.push(data.ifMatch);
      return stored;
    };
    await gateway.owner(ReplaceCounterparty, record);
    await gateway.owner(VerifyCounterparty, record);
    await gateway.owner(ArchiveCounterparty, record);
    await gateway.owner(RestoreCounterparty, record);
    const headers: Record<string, string> = header === undefined ? {} : { "if-match": header };
    await gateway.call("PUT", path, { key, body, headers });
    for (const action of ["verify", "archive", "restore"]) {
      const answer = await gateway.call("POST", `${path}/${action}`, { key, headers });
      expect(answer.headers.get("etag")).toBe('"7"');
    }
    expect(received).toEqual([versions, versions, versions, versions]);
  },
);

it.each([
  ["POST", "/v1/counterparties"],
  ["PUT", path],
  ["POST", `${path}/verify`],
  ["POST", `${path}/archive`],
  ["POST", `${path}/restore`],
])("needs counterparties:write for %s %s", async (method, to) => {
  const reader = await gateway.issue({ principal: "reader", scopes: ["orders:read"] });
  const refused = await gateway.call(method, to, {
    key: reader.key,
    body: to === path || to === "/v1/counterparties" ? body : {},
  });
  expect(refused.status).toBe(403);
  expect(refused.body).toMatchObject({ code: "insufficient_scope", requiredScope: "counterparties:write" });
});
