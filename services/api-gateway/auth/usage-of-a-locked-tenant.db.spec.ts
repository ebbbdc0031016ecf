import { expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { type TenantId, uuidOf } from "../../../contracts/ids/ids.ts";
import { createTenant } from "../tenants/create-tenant.ts";
import { saveInParts } from "../../platform/save-in-parts.ts";
import { addVersionUse, listCallersOfVersion } from "./store/version-use.ts";

const { database, adminUrl } = await forThisFile(openFreshUnits("gateway"));
const session = await forThisFile(connectTo(adminUrl));

const today = new Date().toISOString().slice(0, 10);
const useOf = (tenant: TenantId) =>
  ({ tenant, mode: "Test", version: "v1", day: today, requests: 1, lastUsedAt: new Date() }) as const;
const counts = async () => {
  const callers = await listCallersOfVersion(database.sql, { version: "v1", since: today });
  return new Map(callers.map(({ tenant, requests }) => [tenant, requests]));
};

it("saves what it can while another session has locked the rows of one tenant, and says what is left", async () => {
  const tenants: TenantId[] = [];
  for (const name of ["Acme", "Blue", "Cobalt", "Delta"]) {
    tenants.push((await createTenant(database.sql, name)).id);
  }
  const [locked, ...others] = tenants as [TenantId, ...TenantId[]];
  const uses = tenants.map(useOf);
  expect(await saveInParts(database, uses, addVersionUse)).toEqual([]);
  await session.query("begin");
  await session.query("select 1 from gateway.version_use where tenant_id = $1 for update", [uuidOf(locked)]);
  const unsaved = await saveInParts(database, uses, addVersionUse);
  expect(unsaved.map(({ item, error }) => [item.tenant, "code" in error && error.code])).toEqual([
    [locked, "55P03"],
  ]);
  await session.query("rollback");
  expect(await counts()).toEqual(new Map([[locked, 1], ...others.map((id) => [id, 2] as const)]));
});
