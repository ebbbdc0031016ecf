import { describe, expect, it } from "vitest";
import { rejectNoAddress } from "./nats-address.ts";
import { waitForGivenNats } from "./given-nats.ts";

describe("NATS_URL", () => {
  it.each([
    "nats://127.0.0.1:4222",
    "nats://nats",
    "tls://operator:hidden@nats.example.com:4223",
    "nats.example.com:4222",
    "nats://[::1]:4222",
    "[::1]:4222",
    "nats://a:4222, nats://b:4222",
  ])("may name servers: %s", (urls) => {
    expect(() => rejectNoAddress(urls)).not.toThrow();
  });

  it.each([
    "garbage",
    "",
    "http://127.0.0.1:4222",
    "nats://",
    "nats://a b",
    "nats://a:99999",
    "nats://a:4222,",
  ])("is refused without an address: %s", (urls) => {
    expect(() => rejectNoAddress(urls)).toThrow("is no address of a NATS server, such as nats://");
  });

  it("is refused at once, and its password is not shown", async () => {
    const waiting = waitForGivenNats("http://operator:hidden@garbage", "hidden", () => undefined);
    await expect(waiting).rejects.toThrow('NATS_URL: "http://garbage" is no address of a NATS server');
  });
});
