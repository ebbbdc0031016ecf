import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { entities } from "../../../services/orders/entities.ts";
import { schemaDrift } from "./schema-drift.ts";
import { createDatabase, type TestDatabase } from "../servers/database.ts";
import { openUnits } from "./units.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase("orders");
});
afterEach(() => database.drop());

describe("the entities of orders", () => {
  it("map the columns, keys and references of the migrated tables exactly", async () => {
    expect(await schemaDrift(database.adminUrl, "orders", entities)).toEqual([]);
  });

  it.each([
    ["a column that no entity has", "add column nickname text"],
    ["a column that the table no longer has", "drop column email"],
    ["a column of another type", "alter column name type varchar(80)"],
    ["a column that became nullable", "alter column created_by drop not null"],
    ["a column that became mandatory", "alter column email set not null"],
    ["a version without its default", "alter column version drop default"],
    ["another primary key", "drop constraint counterparty_pkey cascade, add primary key (id)"],
  ])("are compared with them: %s is named", async (_what, change) => {
    const owner = await openUnits(database.adminUrl);
    await owner.database.sql(`alter table orders.counterparty ${change}`);
    await owner.close();
    const drift = await schemaDrift(database.adminUrl, "orders", entities);
    expect(drift.join("\n")).toContain('"orders"."counterparty"');
  });
});
