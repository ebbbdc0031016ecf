import { describe, expect, it } from "vitest";
import { isFromThisMachine } from "./session-route.ts";

const local = {
  ip: "127.0.0.1",
  socket: { remoteAddress: "127.0.0.1" },
  headers: { host: "localhost:4600" },
};

describe("a request from this machine", () => {
  it("comes from the loopback address, and names it as its host", () => {
    expect(isFromThisMachine(local)).toBe(true);
    expect(isFromThisMachine({ ...local, ip: "192.0.2.7" })).toBe(false);
    expect(isFromThisMachine({ ...local, socket: { remoteAddress: "192.0.2.7" } })).toBe(false);
    expect(isFromThisMachine({ ...local, headers: { host: "quittance.example" } })).toBe(false);
  });

  it.each(["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"])(
    "is none that a proxy on this machine forwards with %s",
    (name) => {
      const headers = { host: "localhost:4600", [name]: "192.0.2.7" };
      expect(isFromThisMachine({ ...local, headers })).toBe(false);
    },
  );
});
