import { describe, expect, it } from "vitest";
import {
  afterAttempt,
  afterOwnFault,
  jitterOf,
  type DeliveryProgress,
  isAcknowledged,
  type RetrySchedule,
  defaultSchedule,
} from "./retry-schedule.ts";

const fresh: DeliveryProgress = { attemptCount: 0, attemptsAllowed: 3, acknowledgedBefore: false };
const failed = false;
const acknowledged = true;

describe("an acknowledgement", () => {
  it.each([200, 201, 202, 204, 299])("is a response with status %i", (responseStatus) => {
    expect(isAcknowledged({ responseStatus, error: null })).toBe(true);
  });

  it.each([301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 503])(
    "is not a response with status %i",
    (responseStatus) => {
      expect(isAcknowledged({ responseStatus, error: null })).toBe(false);
    },
  );

  it("is not a request without a response", () => {
    expect(isAcknowledged({ responseStatus: null, error: "no answer within 15 s" })).toBe(false);
  });

  it("is a 2xx that arrived in time, even if the connection broke afterwards", () => {
    expect(isAcknowledged({ responseStatus: 200, error: "the connection broke" })).toBe(true);
  });
});

describe("the three attempts of a delivery", () => {
  it.each([
    ["wait one minute after the first failure", failed, 0, "Retrying", 60_000],
    ["wait five minutes after the second failure", failed, 1, "Retrying", 300_000],
    ["end in the dead letters after the third failure", failed, 2, "DeadLettered", null],
    ["end with an acknowledgement after no failure", acknowledged, 0, "Delivered", null],
    ["end with an acknowledgement after one failure", acknowledged, 1, "Delivered", null],
    ["end with an acknowledgement after two failures", acknowledged, 2, "Delivered", null],
  ])("%s", (_what, outcome, attemptCount, status, retryAfterMs) => {
    const after = afterAttempt(outcome, { ...fresh, attemptCount }, defaultSchedule);
    expect(after).toEqual({ status, retryAfterMs });
  });

  it("use the 30-minute pause if a fourth attempt is configured, and repeat the last pause", () => {
    const four: RetrySchedule = { ...defaultSchedule, maxAttempts: 4 };
    const third = afterAttempt(failed, { ...fresh, attemptsAllowed: 4, attemptCount: 2 }, four);
    expect(third.retryAfterMs).toBe(1_800_000);
    const short: RetrySchedule = { maxAttempts: 5, backoffMs: [1_000] };
    const fourth = afterAttempt(failed, { ...fresh, attemptsAllowed: 5, attemptCount: 3 }, short);
    expect(fourth.retryAfterMs).toBe(1_000);
  });
});

describe("a pause", () => {
  it.each([
    ["is the receiver's, if that is longer", 90_000, 90_000],
    ["is ours, if the receiver's is shorter", 59_999, 60_000],
    ["is 24 hours at most", 86_400_001, 86_400_000],
  ])("%s", (_what, askedPauseMs, retryAfterMs) => {
    expect(afterAttempt(failed, fresh, defaultSchedule, askedPauseMs)).toEqual({
      status: "Retrying",
      retryAfterMs,
    });
  });

  it("that the receiver asks for adds no attempt", () => {
    const last = { ...fresh, attemptCount: 2 };
    expect(afterAttempt(failed, last, defaultSchedule, 90_000).status).toBe("DeadLettered");
    expect(afterAttempt(acknowledged, fresh, defaultSchedule, 90_000).status).toBe("Delivered");
  });

  it("gets up to 5 % longer by chance, and never shorter", () => {
    expect(jitterOf(60_000, () => 0)).toBe(0);
    expect(jitterOf(60_000, () => 0.5)).toBe(1_500);
    expect(jitterOf(60_000, () => 0.999_999)).toBe(2_999);
  });
});

describe("a failure on our side", () => {
  it("is followed by the same attempt ten seconds later, also if it was to be the last one", () => {
    expect(afterOwnFault({ attemptCount: 0 })).toEqual({ status: "Pending", retryAfterMs: 10_000 });
    expect(afterOwnFault({ attemptCount: 2 })).toEqual({ status: "Retrying", retryAfterMs: 10_000 });
  });
});

describe("a manual retry", () => {
  it("dead-letters the delivery again when it fails", () => {
    const oneMore: DeliveryProgress = { attemptCount: 3, attemptsAllowed: 4, acknowledgedBefore: false };
    expect(afterAttempt(failed, oneMore, defaultSchedule).status).toBe("DeadLettered");
  });

  it("leaves an acknowledged delivery Delivered when it fails", () => {
    // Two of the three attempts were never needed. The retry does not use them up.
    const repeat: DeliveryProgress = { attemptCount: 1, attemptsAllowed: 3, acknowledgedBefore: true };
    expect(afterAttempt(failed, repeat, defaultSchedule)).toEqual({
      status: "Delivered",
      retryAfterMs: null,
    });
  });
});
