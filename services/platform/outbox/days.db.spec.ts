import { describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";

const { database, adminUrl } = await forThisFile(openFreshUnits("orders"));

/**
 * The days of an outbox that had those given, after its upkeep: each as its distance from today. Everything happens in
 * one transaction, in which today does not end.
 */
async function daysAfterUpkeep(before: readonly number[]): Promise<number[]> {
  const admin = await connectTo(adminUrl);
  try {
    await admin.query("begin");
    await admin.query(`do $$ declare partition regclass; begin
      for partition in select inhrelid from pg_inherits where inhparent = 'orders.outbox'::regclass loop
        execute format('drop table %s', partition);
      end loop;
    end $$`);
    for (const day of before) {
      await admin.query(`do $$ declare d date := current_date + (${day}); begin
        execute format('create table orders.%I partition of orders.outbox for values from (%L) to (%L)',
          'outbox_' || to_char(d, 'YYYYMMDD'), d, d + 1);
      end $$`);
    }
    await admin.query("select orders.maintain_outbox()");
    const { rows } = await admin.query<{ day: number }>(
      `select to_date(right(c.relname, 8), 'YYYYMMDD') - current_date as day
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'orders.outbox'::regclass
       order by day`,
    );
    return rows.map((row) => row.day);
  } finally {
    await admin.end();
  }
}

describe("the outbox's days", () => {
  it("exist for a week ahead, and for yesterday because a transaction may have begun before midnight", async () => {
    expect(await daysAfterUpkeep([])).toEqual([-1, 0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("are dropped whole after eight days", async () => {
    expect(await daysAfterUpkeep([-9, -8, -7, -1, 0])).toEqual([-8, -7, -1, 0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("can't be dropped, altered or truncated by the service's own role", async () => {
    await expect(database.sql("delete from outbox")).rejects.toMatchObject({ code: "42501" });
    await expect(database.sql("truncate outbox")).rejects.toMatchObject({ code: "42501" });
    await expect(database.sql("drop table outbox")).rejects.toMatchObject({ code: "42501" });
  });
});
