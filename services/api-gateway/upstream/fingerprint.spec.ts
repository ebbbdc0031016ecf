import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../contracts/canonical-json.ts";
import { fingerprintOf } from "./fingerprint.ts";

const key = createSecretKey(Buffer.alloc(32, 7));
const request = {
  method: "POST",
  path: "/v1/payment-orders",
  body: { rail: "Ach", metadata: { b: "2", a: "1" } },
};

describe("a request's fingerprint", () => {
  it("does not depend on the order of members", () => {
    expect(canonicalJson({ b: [2, { d: 4, c: 3 }], a: 1 })).toBe('{"a":1,"b":[2,{"c":3,"d":4}]}');
    expect(fingerprintOf(key, { ...request, body: { metadata: { a: "1", b: "2" }, rail: "Ach" } })).toBe(
      fingerprintOf(key, request),
    );
  });

  it("is the same for an action without a body and with an empty one", () => {
    const action = { method: "POST", path: "/v1/payment-orders/po_1/approve" };
    expect(fingerprintOf(key, { ...action, body: {} })).toBe(
      fingerprintOf(key, { ...action, body: undefined }),
    );
  });

  it("differs by method, path, body, principal, version and secret", () => {
    const others = [
      fingerprintOf(key, { ...request, method: "PUT" }),
      fingerprintOf(key, { ...request, path: "/v1/ledger-accounts" }),
      fingerprintOf(key, { ...request, body: { ...request.body, rail: "Rtp" } }),
      fingerprintOf(key, { ...request, body: undefined }),
      fingerprintOf(key, { ...request, principal: "approver1" }),
      fingerprintOf(key, { ...request, principal: "approver2" }),
      fingerprintOf(key, { ...request, ifMatch: '"1"' }),
      fingerprintOf(key, { ...request, ifMatch: '"3"' }),
      fingerprintOf(createSecretKey(Buffer.alloc(32, 8)), request),
    ];
    expect(new Set([fingerprintOf(key, request), ...others]).size).toBe(10);
  });
});
