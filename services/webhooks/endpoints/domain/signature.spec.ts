import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newSigningSecret, signatureHeaders, signingSecret } from "./signature.ts";

// Expected values were computed with Python's hmac and with `openssl dgst -hmac`.
const newest = signingSecret("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
const previous = signingSecret("whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=");
const eventId = "evt_01h455vb4pex5vsknk084sn02q";
const sentAt = new Date("2026-03-02T15:04:05.678Z");
const body = Buffer.from(
  '{"id":"evt_01h455vb4pex5vsknk084sn02q","type":"payment_order.completed",' +
    '"created_at":"2026-03-02T15:04:05.678Z","data":{"note":"Zoë"}}',
);

describe("the signature of a delivery", () => {
  it("is lowercase hex over the raw body, keyed with the secret exactly as shown", () => {
    expect(signatureHeaders([newest], eventId, sentAt, body)["x-service-signature"]).toBe(
      "e3b2142dad29be5bf04b8c015317848f8bac692b06a6c7752264166a4bf486a7",
    );
  });

  it("comes with the Standard Webhooks headers, keyed with the decoded remainder of the secret", () => {
    expect(signatureHeaders([newest], eventId, sentAt, body)).toEqual({
      "x-service-signature": "e3b2142dad29be5bf04b8c015317848f8bac692b06a6c7752264166a4bf486a7",
      "webhook-id": "evt_01h455vb4pex5vsknk084sn02q",
      "webhook-timestamp": "1772463845",
      "webhook-signature": "v1,GQmgNDGFfnxUeAM9oc1St47X9ZLrIAgxgPGt3ikavEU=",
    });
  });

  it("has one value per active secret, newest first", () => {
    const headers = signatureHeaders([newest, previous], eventId, sentAt, body);
    expect(headers["x-service-signature"]).toBe(
      "e3b2142dad29be5bf04b8c015317848f8bac692b06a6c7752264166a4bf486a7," +
        "a50c77d3990042017a29408e64a035926683e6c34a2101a304d88a5599248d7d",
    );
    expect(headers["webhook-signature"]).toBe(
      "v1,GQmgNDGFfnxUeAM9oc1St47X9ZLrIAgxgPGt3ikavEU= v1,eD5ewNXVLMkiXRYWFvTOEt7XHd02q8P+BT6LOs8XAS0=",
    );
  });

  it("verifies with the secret's text, as a receiver verifies it", () => {
    const secret = newSigningSecret();
    expect(secret.text).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const asReceived = signatureHeaders([secret], eventId, sentAt, body)["x-service-signature"];
    expect(createHmac("sha256", secret.text).update(body).digest("hex")).toBe(asReceived);
  });

  it("is required: without a secret nothing is sent", () => {
    expect(() => signatureHeaders([], eventId, sentAt, body)).toThrow("never sent unsigned");
  });

  it("never shows a malformed secret in an error", () => {
    expect(() => signingSecret("hunter2")).toThrow(/^a signing secret begins with whsec_$/);
  });
});
