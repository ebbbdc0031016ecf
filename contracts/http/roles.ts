import { z } from "zod";
import type { Mode } from "../ids/ids.ts";
import { namedEnum } from "../named-enum.ts";
import type { Scope } from "./scopes.ts";

/** What a person is there for: a set of scopes. Roles add up. */
export const role = namedEnum("Role", "What a person is there for, as a set of scopes. Roles add up.", {
  Viewer: "Reads everything: `orders:read`, `ledger:read`, `webhooks:read`.",
  Maker: "Viewer, and makes orders: `orders:write`, `counterparties:write`, `ledger:write`.",
  Approver:
    "Viewer, and decides on orders, pending transactions and assignments of others: `orders:approve`.",
  Developer: "Viewer, and `webhooks:write`; in Test also `simulate` and `keys:write`.",
  Admin: "Viewer, and `policy:write`, `keys:write`, `people:write`. Moves and approves nothing.",
});
export type Role = z.infer<typeof role>;
export type RolesByMode = Readonly<Record<Mode, readonly Role[]>>;

const everyRole: readonly Scope[] = ["orders:read", "ledger:read", "webhooks:read"];
const more: Readonly<Record<Role, readonly Scope[]>> = {
  Viewer: [],
  Maker: ["orders:write", "counterparties:write", "ledger:write"],
  Approver: ["orders:approve"],
  Developer: ["webhooks:write"],
  Admin: ["policy:write", "keys:write", "people:write"],
};
const ofDevelopersInTest: readonly Scope[] = ["simulate", "keys:write"];

/** What these roles permit in a mode; nothing without a role. */
export function scopesOfRoles(held: readonly Role[], mode: Mode): Set<Scope> {
  const inTest = mode === "Test" && held.includes("Developer") ? ofDevelopersInTest : [];
  return new Set(held.length === 0 ? [] : [...everyRole, ...held.flatMap((each) => more[each]), ...inTest]);
}
