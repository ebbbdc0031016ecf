import { describe, expect, it } from "vitest";
import type { Mode } from "../ids/ids.ts";
import { type Role, role, scopesOfRoles } from "./roles.ts";
import { approvingScopes, makingScopes } from "./scopes.ts";

const modes: readonly Mode[] = ["Test", "Live"];
const sorted = (held: readonly Role[], mode: Mode) => [...scopesOfRoles(held, mode)].toSorted();

describe("the role", () => {
  it.each<[Role, Mode, string[]]>([
    ["Viewer", "Test", ["ledger:read", "orders:read", "webhooks:read"]],
    ["Viewer", "Live", ["ledger:read", "orders:read", "webhooks:read"]],
    [
      "Maker",
      "Test",
      ["counterparties:write", "ledger:read", "ledger:write", "orders:read", "orders:write", "webhooks:read"],
    ],
    [
      "Maker",
      "Live",
      ["counterparties:write", "ledger:read", "ledger:write", "orders:read", "orders:write", "webhooks:read"],
    ],
    ["Approver", "Test", ["ledger:read", "orders:approve", "orders:read", "webhooks:read"]],
    ["Approver", "Live", ["ledger:read", "orders:approve", "orders:read", "webhooks:read"]],
    [
      "Developer",
      "Test",
      ["keys:write", "ledger:read", "orders:read", "simulate", "webhooks:read", "webhooks:write"],
    ],
    ["Developer", "Live", ["ledger:read", "orders:read", "webhooks:read", "webhooks:write"]],
    [
      "Admin",
      "Test",
      ["keys:write", "ledger:read", "orders:read", "people:write", "policy:write", "webhooks:read"],
    ],
    [
      "Admin",
      "Live",
      ["keys:write", "ledger:read", "orders:read", "people:write", "policy:write", "webhooks:read"],
    ],
  ])("%s permits in %s exactly %j", (held, mode, scopes) => {
    expect(sorted([held], mode)).toEqual(scopes);
  });

  it.each(role.options)("%s never lets one person make and approve the same thing", (held) => {
    for (const mode of modes) {
      const scopes = scopesOfRoles([held], mode);
      const makes = makingScopes.some((scope) => scopes.has(scope));
      const approves = approvingScopes.some((scope) => scopes.has(scope));
      expect([mode, makes && approves]).toEqual([mode, false]);
    }
  });
});

describe("several roles", () => {
  it("permit what each of them permits", () => {
    expect(sorted(["Approver", "Developer"], "Live")).toEqual([
      "ledger:read",
      "orders:approve",
      "orders:read",
      "webhooks:read",
      "webhooks:write",
    ]);
  });
});

describe("a person without a role", () => {
  it.each(modes)("may do nothing in %s", (mode) => {
    expect(sorted([], mode)).toEqual([]);
  });
});
