import { expect, it } from "vitest";
import { afterInquiry, schedule } from "./schedule.ts";

const monday = new Date("2027-02-08T15:00:00.000Z");
const tuesday = new Date("2027-02-09T13:30:00.000Z");
const steps = schedule([{ event: { kind: "Settled" }, dueAt: tuesday, onlyOnInquiry: true }], 1, monday);

it("what waits for an inquiry is due in its time, once the rail is asked", () => {
  expect(afterInquiry(steps, monday, { isInstant: false })).toMatchObject([{ dueAt: tuesday }]);
});

it("what waits for an inquiry is due at once in a book whose clock has become Instant", () => {
  expect(afterInquiry(steps, monday, { isInstant: true })).toMatchObject([{ dueAt: monday }]);
});
