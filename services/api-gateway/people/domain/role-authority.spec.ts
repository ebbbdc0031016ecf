import { expect, it } from "vitest";
import { rolesForAnotherAdmin } from "./role-authority.ts";

const every = ["Viewer", "Maker", "Approver", "Developer", "Admin"] as const;

it.each([
  ["Test", false, ["Maker", "Approver", "Developer", "Admin"]],
  ["Test", true, ["Viewer", "Maker", "Approver", "Developer", "Admin"]],
  ["Live", false, ["Viewer", "Maker", "Approver", "Developer", "Admin"]],
] as const)(
  "in %s, where API keys act for the principal: %s, another admin must approve %j",
  (mode, speaksThroughKeys, waiting) => {
    expect(rolesForAnotherAdmin({ mode, roles: every, speaksThroughKeys })).toEqual(waiting);
  },
);
