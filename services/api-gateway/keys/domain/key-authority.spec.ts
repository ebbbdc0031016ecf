import { describe, expect, it } from "vitest";
import type { Scope } from "../../../../contracts/http/scopes.ts";
import { scopesBeyond, operatorOnlyScopes, approvalReason } from "./key-authority.ts";

const ana = { principal: "ana", scopes: new Set(["orders:read", "orders:write", "keys:write"]) };
const own = (...scopes: Scope[]) => ({ principal: "ana", principalIsKnown: true, scopes });
const bobs = (...scopes: Scope[]) => ({ principal: "bob", principalIsKnown: true, scopes });
const newcomers = (...scopes: Scope[]) => ({ principal: "carl", principalIsKnown: false, scopes });

describe("a key", () => {
  it("has only scopes that its creator has", () => {
    expect(scopesBeyond(ana, ["orders:read", "orders:write"])).toEqual([]);
    expect(scopesBeyond(ana, ["orders:read", "simulate", "policy:write"])).toEqual([
      "simulate",
      "policy:write",
    ]);
  });

  it("for the creator's own principal, which approves nothing, needs no approval", () => {
    expect(approvalReason(ana, own("orders:read", "orders:write", "counterparties:write"))).toBeUndefined();
  });

  it.each(["orders:approve", "policy:write", "keys:write"] as const)(
    "with %s needs another principal, even for the creator's own principal",
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
    "with %s for a new principal needs an approval, because its creator could approve what it creates",
    (scope) => {
      expect(approvalReason(ana, newcomers(scope))).toBe(`It has ${scope} under a new name.`);
    },
  );

  it("with approving scopes for a new principal can only be created by the operator", () => {
    const scopes = ["orders:read", "orders:approve", "keys:write"] as const;
    expect(operatorOnlyScopes(newcomers(...scopes))).toEqual(["orders:approve", "keys:write"]);
    expect(operatorOnlyScopes(bobs(...scopes))).toEqual([]);
  });
});
