import { describe, expect, it } from "vitest";
import type { GatewayConfig } from "../config.ts";
import { relyingPartyOf } from "./relying-party.ts";

const config = { DASHBOARD_ORIGIN: "" } as GatewayConfig;

describe("the relying party of a passkey, without a configured origin", () => {
  it("is the origin that the browser names", () => {
    const headers = { origin: "http://localhost:4600", host: "localhost:4600" };
    expect(relyingPartyOf(config, { headers })).toMatchObject({ origin: headers.origin, id: "localhost" });
  });

  it.each(["http://a b", "http://[", "null"])("is refused for %j, which is no origin", (origin) => {
    expect(() => relyingPartyOf(config, { headers: { origin } })).toThrow(/its Origin is not an origin/);
  });
});
