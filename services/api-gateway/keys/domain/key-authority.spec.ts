import { describe, expect, it } from "vitest";
import type { Scope } from "../../../../contracts/http/scopes.ts";
import { scopesBeyond, scopesForTheOperator, whyAnother } from "./key-authority.ts";

const ana = { principal: "ana", scopes: new Set(["orders:read", "orders:write", "keys:write"]) };
const own = (...scopes: Scope[]) => ({ principal: "ana", principalIsKnown: true, scopes });
const bobs = (...scopes: Scope[]) => ({ principal: "bob", principalIsKnown: true, scopes });
const newcomers = (...scopes: Scope[]) => ({ principal: "carl", principalIsKnown: false, scopes });

describe("a key", () => {
  it("gives only what its giver has", () => {
    expect(scopesBeyond(ana, ["orders:read", "orders:write"])).toEqual([]);
    expect(scopesBeyond(ana, ["orders:read", "simulate", "policy:write"])).toEqual([
      "simulate",
      "policy:write",
    ]);
  });

  it("that decides nothing, in one's own name, is one's own to give", () => {
    expect(whyAnother(ana, own("orders:read", "orders:write", "counterparties:write"))).toBeUndefined();
  });

  it.each(["orders:approve", "policy:write", "keys:write"] as const)(
    "with %s needs another principal, though it is in one's own name",
    (scope) => {
      expect(whyAnother(ana, own("orders:read", scope))).toBe(`It has ${scope}.`);
    },
  );

  it("in the name of somebody who has one needs another principal, whatever it can do", () => {
    expect(whyAnother(ana, bobs("orders:read"))).toBe("It speaks for bob.");
    expect(whyAnother(ana, bobs("orders:approve"))).toBe("It has orders:approve. It speaks for bob.");
  });

  it("in a new name is one's own to give, as long as it only looks", () => {
    expect(whyAnother(ana, newcomers("orders:read", "webhooks:write"))).toBeUndefined();
  });

  it.each(["orders:write", "counterparties:write", "ledger:write"] as const)(
    "in a new name with %s needs another principal: its giver could approve what it made",
    (scope) => {
      expect(whyAnother(ana, newcomers(scope))).toBe(`It has ${scope} under a new name.`);
    },
  );

  it("that decides is not to be had in a new name, but from the operator", () => {
    const scopes = ["orders:read", "orders:approve", "keys:write"] as const;
    expect(scopesForTheOperator(newcomers(...scopes))).toEqual(["orders:approve", "keys:write"]);
    expect(scopesForTheOperator(bobs(...scopes))).toEqual([]);
  });
});
