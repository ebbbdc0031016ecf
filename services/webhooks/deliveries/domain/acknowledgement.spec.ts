import { describe, expect, it } from "vitest";
import { isAcknowledged } from "./acknowledgement.ts";

describe("only a 2xx acknowledges", () => {
  it.each([200, 201, 202, 204, 299])("%i does", (responseStatus) => {
    expect(isAcknowledged({ responseStatus, error: null })).toBe(true);
  });

  it.each([301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 503])("%i does not", (responseStatus) => {
    expect(isAcknowledged({ responseStatus, error: null })).toBe(false);
  });

  it("silence does not", () => {
    expect(isAcknowledged({ responseStatus: null, error: "no answer within 15 s" })).toBe(false);
  });

  it("a status in time does, even when the body behind it broke off", () => {
    expect(isAcknowledged({ responseStatus: 200, error: "the connection broke" })).toBe(true);
  });
});
