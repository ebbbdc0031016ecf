import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { challengeOf, type Intent } from "./challenge.ts";

const intent: Intent = {
  operation: "approvePaymentOrder",
  mode: "Test",
  ids: ["po_a", "po_b"],
  orderHashes: ["aa", "bb"],
  bodyHash: null,
  ifMatch: null,
};
const nonce = Buffer.alloc(32, 7);

describe("the challenge of a step-up", () => {
  it("is the SHA-256 of what is decided, by whom, and a nonce", () => {
    const said = `["approvePaymentOrder","Test",["po_a","po_b"],["aa","bb"],null,null,"rosa","${nonce.toString("base64url")}"]`;
    expect(challengeOf(intent, "rosa", nonce)).toEqual(createHash("sha256").update(said).digest());
  });

  it.each<[string, Partial<Intent>]>([
    ["operation", { operation: "denyPaymentOrder" }],
    ["mode", { mode: "Live" }],
    ["order", { ids: ["po_a", "po_c"] }],
    ["sequence of orders", { ids: ["po_b", "po_a"] }],
    ["content of an order", { orderHashes: ["aa", "bc"] }],
    ["body", { bodyHash: "cc" }],
    ["version", { ifMatch: '"3"' }],
    ["division of ids and hashes", { ids: ["po_a", "po_b", "aa"], orderHashes: ["bb"] }],
  ])("is another one for another %s", (_what, change) => {
    expect(challengeOf({ ...intent, ...change }, "rosa", nonce)).not.toEqual(
      challengeOf(intent, "rosa", nonce),
    );
  });

  it("is another one for another person and each time", () => {
    expect(challengeOf(intent, "sam", nonce)).not.toEqual(challengeOf(intent, "rosa", nonce));
    expect(challengeOf(intent, "rosa", Buffer.alloc(32, 8))).not.toEqual(challengeOf(intent, "rosa", nonce));
  });
});
