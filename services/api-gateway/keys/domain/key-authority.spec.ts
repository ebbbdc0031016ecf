import { describe, expect, it } from "vitest";
import type { Scope } from "../../../../contracts/http/scopes.ts";
import { scopesBeyond, scopesToVouchFor, approvalReason } from "./key-authority.ts";

const unlimited = { expiresAt: null, ipAllowlist: [] };
const ana = {
  principal: "ana",
  scopes: new Set(["orders:read", "orders:write", "keys:write"]),
  ...unlimited,
};
const own = (...scopes: Scope[]) => ({ principal: "ana", principalIsKnown: true, scopes, ...unlimited });
const bobs = (...scopes: Scope[]) => ({ principal: "bob", principalIsKnown: true, scopes, ...unlimited });
const newcomers = (...scopes: Scope[]) => ({
  principal: "carl",
  principalIsKnown: false,
  scopes,
  ...unlimited,
});

describe("a key", () => {
  it("has only scopes that its maker has", () => {
    expect(scopesBeyond(ana, ["orders:read", "orders:write"])).toEqual([]);
    expect(scopesBeyond(ana, ["orders:read", "simulate", "policy:write"])).toEqual([
      "simulate",
      "policy:write",
    ]);
  });

  it("for the maker's own principal, which approves nothing, needs no approval", () => {
    expect(approvalReason(ana, own("orders:read", "orders:write", "counterparties:write"))).toBeUndefined();
  });

  it.each(["orders:approve", "policy:write", "keys:write"] as const)(
    "with %s needs another principal, even for the maker's own principal",
    (scope) => {
      expect(approvalReason(ana, own("orders:read", scope))).toBe(`It has ${scope}.`);
    },
  );

  it("for another known principal needs an approval, whatever its scopes", () => {
    expect(approvalReason(ana, bobs("orders:read"))).toBe("It acts for bob.");
    expect(approvalReason(ana, bobs("orders:approve"))).toBe("It has orders:approve. It acts for bob.");
  });

  it("for a new principal needs no approval, as long as it only reads", () => {
    expect(approvalReason(ana, newcomers("orders:read", "webhooks:write"))).toBeUndefined();
  });

  it.each(["orders:write", "counterparties:write", "ledger:write"] as const)(
    "with %s for a new principal needs an approval, because its maker could approve what it creates",
    (scope) => {
      expect(approvalReason(ana, newcomers(scope))).toBe(`It has ${scope} under a new name.`);
    },
  );

  it("can't have approving scopes before somebody vouches for its principal", () => {
    const scopes = ["orders:read", "orders:approve", "keys:write"] as const;
    expect(scopesToVouchFor(scopes, false)).toEqual(["orders:approve", "keys:write"]);
    expect(scopesToVouchFor(scopes, true)).toEqual([]);
  });
});

describe("a key made by a limited key", () => {
  const soon = new Date("2026-12-01T00:00:00Z");
  const later = new Date("2026-12-02T00:00:00Z");
  const limited = { ...ana, expiresAt: soon, ipAllowlist: ["203.0.113.0/24"] };
  const reading = { ...own("orders:read"), expiresAt: soon, ipAllowlist: ["203.0.113.7"] };
  const tooLate = "It ends later than the key that makes it.";
  const tooWide = "It can be used from addresses from which the key that makes it can't.";

  it("needs no approval if it ends no later and is used from no other addresses", () => {
    expect(approvalReason(limited, reading)).toBeUndefined();
  });

  it.each([
    ["ends later", { expiresAt: later }, tooLate],
    ["never ends", { expiresAt: null }, tooLate],
    ["has wider addresses", { ipAllowlist: ["203.0.113.7", "203.0.112.0/23"] }, tooWide],
    ["has no addresses", { ipAllowlist: [] }, tooWide],
  ])("needs an approval if it %s", (_what, reach, reason) => {
    expect(approvalReason(limited, { ...reading, ...reach })).toBe(reason);
  });
});
