import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../test/ledger/guards/attack.ts";
import { type Guard, guardsOf } from "../../../test/ledger/guards/catalog.ts";
import { constraintAttacks } from "../../../test/ledger/guards/constraints.ts";
import { rows } from "../../../test/ledger/guards/rows.ts";
import { deletions, furtherAttacks, triggerAttacks } from "../../../test/ledger/guards/triggers.ts";
import { type LedgerWorld, openLedger, sqlOn } from "../../../test/ledger/world.ts";

// Each trigger, check and key of the ledger's schema is taken away in turn: what it stands against, and is refused by
// its name while it is there, is not any more. So none is idle, none only repeats another, and none can be lost unseen.
const attacks = new Map([...triggerAttacks, ...constraintAttacks]);
let world: LedgerWorld;
let guards: ReadonlyMap<string, Guard>;
beforeAll(async () => {
  world = await openLedger();
  const sql = sqlOn(world.superuser);
  guards = new Map((await guardsOf(sql)).map((guard) => [guard.key, guard]));
  await sql("set session_replication_role = replica");
  for (const row of rows) await sql(row);
  await sql("set session_replication_role = origin");
});
afterAll(() => world.close());

it("every guard in the catalogue has its attack here: a new one brings its own", () => {
  expect([...guards.keys()].filter((key) => !attacks.has(key)).sort()).toEqual([]);
  expect([...attacks.keys()].filter((key) => !guards.has(key)).sort()).toEqual([]);
});

it("and all of them are on", async () => {
  const off = await sqlOn(world.superuser)(
    `select g.tgrelid::regclass::text as table, g.tgname as name from pg_trigger g
     join pg_class c on c.oid = g.tgrelid and c.relnamespace = 'ledger'::regnamespace where g.tgenabled <> 'O'
     union all
     select k.conrelid::regclass::text, k.conname from pg_constraint k
     where k.connamespace = 'ledger'::regnamespace and not (k.convalidated and k.conenforced)`,
  );
  expect(off).toEqual([]);
});

describe.each([...attacks, ...furtherAttacks])("%s", (key, attack) => {
  it("is what refuses its attack", async () => {
    expect(await resultOf(world.superuser, attack)).toBe(attack.refused);
    expect(await resultOf(world.superuser, attack, guards.get(key)!.disable)).not.toBe(attack.refused);
  });
});

it.each(deletions)("%s: no row is deleted, but without its guard", async (table) => {
  const attack = { statements: [`delete from ${table}`], refused: "LG001 append_only" };
  expect(await resultOf(world.superuser, attack)).toBe("LG001 append_only");
  const without = guards.get(`${table}.append_only`)!.disable;
  expect(await resultOf(world.superuser, attack, without)).not.toBe("LG001 append_only");
});
