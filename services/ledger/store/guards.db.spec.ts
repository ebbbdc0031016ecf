import { describe, expect, it } from "vitest";
import { resultOf } from "../../../test/ledger/guards/attack.ts";
import { guardsOf } from "../../../test/ledger/guards/catalog.ts";
import { constraintAttacks } from "../../../test/ledger/guards/constraints.ts";
import { rows } from "../../../test/ledger/guards/rows.ts";
import { deletions, furtherAttacks, triggerAttacks } from "../../../test/ledger/guards/triggers.ts";
import { sqlOn, openLedgerOfFile } from "../../../test/ledger/world.ts";
import { withGuardsOff } from "../../../test/stack/database/guards-off.ts";

// Removes each trigger, check and key of the ledger's schema, one at a time. With the guard, its attack is refused by
// the guard's name; without it, not by that name. So no guard is idle, and none can be lost unnoticed.
const attacks = new Map([...triggerAttacks, ...constraintAttacks]);
const world = await openLedgerOfFile();
const sql = sqlOn(world.superuser);
const guards = new Map((await guardsOf(sql)).map((guard) => [guard.key, guard]));
await withGuardsOff(sql, "ledger", async () => {
  for (const row of rows) await sql(row);
});

it("every guard in the catalogue has an attack; a new guard needs a new one", () => {
  expect([...guards.keys()].filter((key) => !attacks.has(key)).sort()).toEqual([]);
  expect([...attacks.keys()].filter((key) => !guards.has(key)).sort()).toEqual([]);
});

it("all guards are enabled, triggers in every session role", async () => {
  const off = await sqlOn(world.superuser)(
    `select g.tgrelid::regclass::text as table, g.tgname as name from pg_trigger g
     join pg_class c on c.oid = g.tgrelid and c.relnamespace = 'ledger'::regnamespace 
     where not g.tgisinternal and g.tgenabled <> 'A'
     union all
     select k.conrelid::regclass::text, k.conname from pg_constraint k
     where k.connamespace = 'ledger'::regnamespace and not (k.convalidated and k.conenforced)`,
  );
  expect(off).toEqual([]);
});

describe.each([...attacks, ...furtherAttacks])("%s", (key, attack) => {
  it("refuses its attack", async () => {
    expect(await resultOf(world.superuser, attack)).toBe(attack.refused);
    expect(await resultOf(world.superuser, attack, guards.get(key)!.disable)).not.toBe(attack.refused);
  });
});

describe.each([...triggerAttacks])("%s, in a session with the replica role", (_key, attack) => {
  it("refuses its attack", async () => {
    const asReplica = "set local session_replication_role = replica";
    expect(await resultOf(world.superuser, attack, asReplica)).toBe(attack.refused);
  });
});

it.each(deletions)("%s: rows can be deleted only without its guard", async (table) => {
  const attack = { statements: [`delete from ${table}`], refused: "LG001 append_only" };
  expect(await resultOf(world.superuser, attack)).toBe("LG001 append_only");
  const without = guards.get(`${table}.append_only`)!.disable;
  expect(await resultOf(world.superuser, attack, without)).not.toBe("LG001 append_only");
});
