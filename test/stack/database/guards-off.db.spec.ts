import pg from "pg";
import { expect, it } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import { withGuardsOff } from "./guards-off.ts";
import { createDatabase } from "../servers/database.ts";

const database = await forThisFile(createDatabase("ledger"));
const admin = await forThisFile(new pg.Client(database.adminUrl));
await admin.connect();
const run = (text: string) => admin.query(text);

/** Which states its triggers have, and the session's role. */
async function guards(): Promise<unknown> {
  const { rows } = await admin.query(
    `select current_setting('session_replication_role') as role, array_agg(distinct t.tgenabled::text) as states
     from pg_trigger t
     join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = 'ledger'::regnamespace and not t.tgisinternal`,
  );
  return rows[0];
}

it("guards are off during the work, and on again after it, also if it fails", async () => {
  expect(await guards()).toEqual({ role: "origin", states: ["A"] });
  expect(await withGuardsOff(run, "ledger", guards)).toEqual({ role: "replica", states: ["D"] });
  expect(await guards()).toEqual({ role: "origin", states: ["A"] });
  const failing = withGuardsOff(run, "ledger", () => run("select 1 / 0"));
  await expect(failing).rejects.toThrow("division by zero");
  expect(await guards()).toEqual({ role: "origin", states: ["A"] });
});
