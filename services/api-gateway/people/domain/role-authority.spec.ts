import { expect, it } from "vitest";
import { rolesForAnotherAdmin } from "./role-authority.ts";

const every = ["Viewer", "Maker", "Approver", "Developer", "Admin"] as const;

it.each([
  ["Test", false, ["Maker", "Approver", "Developer", "Admin"]],
  ["Test", true, ["Viewer", "Maker", "Approver", "Developer", "Admin"]],
  ["Live", false, ["Viewer", "Maker", "Approver", "Developer", "Admin"]],
] as const)(
  "in %s, of a principal that API keys speak for (%s), another admin lets through %j",
  (mode, speaksThroughKeys, waiting) => {
    expect(rolesForAnotherAdmin({ mode, roles: every, speaksThroughKeys })).toEqual(waiting);
  },
);
