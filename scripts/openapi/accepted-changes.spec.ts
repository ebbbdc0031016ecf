import { expect, it } from "vitest";
import { unacceptedChanges } from "./accepted-changes.ts";

const accepted = { "GET /v1/webhooks: it is gone": "Nobody could call it." };

it("lets a breaking change pass that is accepted, and no other", () => {
  const others = ["GET /v1/ledger: it is gone"];
  expect(unacceptedChanges([...Object.keys(accepted), ...others], accepted)).toEqual(others);
});

it("finds an accepted change that is no longer there", () => {
  expect(unacceptedChanges([], accepted)).toEqual([
    "accepted-changes.ts names a change that is not there: GET /v1/webhooks: it is gone",
  ]);
});
