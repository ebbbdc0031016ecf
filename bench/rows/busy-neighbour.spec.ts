import { expect, it } from "vitest";
import { mustBeAtLimits } from "./busy-neighbour.ts";

it.each([
  ["reads", { 200: 861, 429: 790 }],
  ["reads", { 200: 861, 429: 790, ECONNRESET: 2 }],
  ["edits", { 200: 109, 409: 853, 429: 1_484 }],
] as const)("%s are at their limits with %o", (load, answers) => {
  expect(() => mustBeAtLimits(load, answers)).not.toThrow();
});

it.each([
  ["reads", { 401: 900 }, "401 900 times"],
  ["edits", { 404: 900, 429: 3 }, "404 900 times, 429 3 times"],
  ["reads", { 200: 500, 409: 1, 429: 80 }, "200 500 times, 409 1 times, 429 80 times"],
  ["edits", { 200: 500, 429: 80, 500: 1 }, "200 500 times, 429 80 times, 500 1 times"],
  ["reads", { 200: 500 }, "200 500 times"],
  ["edits", { 409: 20, 429: 500 }, "409 20 times, 429 500 times"],
  ["reads", { ECONNREFUSED: 40 }, "ECONNREFUSED 40 times"],
  ["edits", {}, "no answer"],
] as const)("%s are not at their limits with %o", (load, answers, shown) => {
  expect(() => mustBeAtLimits(load, answers)).toThrow(
    `the neighbour's ${load} were not at its limits: it got ${shown}`,
  );
});
