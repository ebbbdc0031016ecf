import { describe, expect, it } from "vitest";
import { afterAttempt, type Progress, type RetrySchedule, specifiedSchedule } from "./retry-schedule.ts";

const fresh: Progress = { attemptCount: 0, attemptsAllowed: 3, acknowledgedBefore: false };
const failed = false;
const acknowledged = true;

describe("three attempts, then the dead letters", () => {
  it("waits a minute after the first failure", () => {
    expect(afterAttempt(failed, fresh, specifiedSchedule)).toEqual({
      status: "Retrying",
      retryAfterMs: 60_000,
    });
  });

  it("waits five minutes after the second", () => {
    expect(afterAttempt(failed, { ...fresh, attemptCount: 1 }, specifiedSchedule)).toEqual({
      status: "Retrying",
      retryAfterMs: 300_000,
    });
  });

  it("gives up after the third", () => {
    expect(afterAttempt(failed, { ...fresh, attemptCount: 2 }, specifiedSchedule)).toEqual({
      status: "DeadLettered",
      retryAfterMs: null,
    });
  });

  it.each([0, 1, 2])("ends with an acknowledgement after %i failures", (attemptCount) => {
    expect(afterAttempt(acknowledged, { ...fresh, attemptCount }, specifiedSchedule)).toEqual({
      status: "Delivered",
      retryAfterMs: null,
    });
  });

  it("uses the 30-minute step where a fourth attempt is configured, and repeats the last pause", () => {
    const four: RetrySchedule = { ...specifiedSchedule, maxAttempts: 4 };
    expect(afterAttempt(failed, { ...fresh, attemptsAllowed: 4, attemptCount: 2 }, four).retryAfterMs).toBe(
      1_800_000,
    );
    const short: RetrySchedule = { maxAttempts: 5, backoffMs: [1_000] };
    expect(afterAttempt(failed, { ...fresh, attemptsAllowed: 5, attemptCount: 3 }, short).retryAfterMs).toBe(
      1_000,
    );
  });
});

describe("one more attempt, asked for by a person", () => {
  it("dead-letters again when it fails", () => {
    const oneMore: Progress = { attemptCount: 3, attemptsAllowed: 4, acknowledgedBefore: false };
    expect(afterAttempt(failed, oneMore, specifiedSchedule).status).toBe("DeadLettered");
  });

  it("leaves a delivery Delivered that was acknowledged before", () => {
    // Two of the three were never needed; a repeat does not use them up.
    const repeat: Progress = { attemptCount: 1, attemptsAllowed: 3, acknowledgedBefore: true };
    expect(afterAttempt(failed, repeat, specifiedSchedule)).toEqual({
      status: "Delivered",
      retryAfterMs: null,
    });
  });
});
