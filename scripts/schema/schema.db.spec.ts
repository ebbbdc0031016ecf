import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type Service, services } from "../../contracts/message.ts";
import { forThisFile } from "../../test/stack/for-this-file.ts";
import { connectTo, createDatabase } from "../../test/stack/servers/database.ts";
import { readCatalogue } from "./catalogue.ts";
import { schemaFile } from "./files.ts";
import { renderSchema } from "./render.ts";

const database = await forThisFile(createDatabase([...services]));
const admin = await forThisFile(connectTo(database.adminUrl));

const migrated = async (service: Service) => renderSchema(service, await readCatalogue(admin, service));

it.each(services)("the committed schema.sql of %s matches its migrations", async (service) => {
  const committed = await readFile(schemaFile(service), "utf8").catch(() => "");
  expect(await migrated(service), "schema.sql differs from the migrations: run make schema").toBe(committed);
});

describe("a schema", () => {
  const changes: [change: string, statement: string][] = [
    ["a column", "alter table ledger.account add column colour text"],
    ["a default", "alter table ledger.idempotency alter column created_at set default clock_timestamp()"],
    ["a check", "alter table ledger.account add constraint account_never check (true)"],
    ["an index", "create index account_colour on ledger.account (name)"],
    ["a function's body", "create function ledger.one() returns int language sql as 'select 1'"],
    ["a trigger that is switched off", "alter table ledger.journal disable trigger all"],
    ["a policy", "create policy everybody on ledger.account using (true)"],
    ["a grant", "grant delete on ledger.account to orders"],
    ["a grant on one column", "grant update (name) on ledger.account to orders"],
    ["a storage parameter", "alter table ledger.account set (fillfactor = 51)"],
    ["a comment", "comment on table ledger.account is 'an account'"],
  ];
  it.each(changes)("differs after a change of %s", async (_change, statement) => {
    const before = await migrated("ledger");
    await admin.query("begin");
    await admin.query(statement);
    const after = await migrated("ledger");
    await admin.query("rollback");
    expect(after).not.toBe(before);
    expect(await migrated("ledger")).toBe(before);
  });

  it("does not differ from one day to the next, when the outbox gets new partitions", async () => {
    const before = await migrated("ledger");
    await admin.query("begin");
    await admin.query("create table ledger.outbox_29991231 (like ledger.outbox including all)");
    await admin.query(
      "alter table ledger.outbox attach partition ledger.outbox_29991231 for values from ('2999-12-31') to ('3000-01-01')",
    );
    const after = await migrated("ledger");
    await admin.query("rollback");
    expect(after).toBe(before);
  });
});
