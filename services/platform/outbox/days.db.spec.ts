import { describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { asAdmin } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";

const { database, adminUrl } = await forThisFile(openFreshUnits("orders"));

describe("the outbox's days", () => {
  const days = async () => {
    const rows = await database.sql<{ name: string }>(
      `select to_char(to_date(right(c.relname, 8), 'YYYYMMDD') - current_date, 'FM999') as name
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'outbox'::regclass
       order by c.relname`,
    );
    return rows.map((row) => Number(row.name));
  };

  it("exist for a week ahead, and for yesterday because a transaction may have begun before midnight", async () => {
    await database.sql("select maintain_outbox()");
    expect(await days()).toEqual([-1, 0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("are dropped whole after eight days", async () => {
    await asAdmin(
      adminUrl,
      `do $$ begin
      for back in 7..9 loop
        execute format('create table orders.%I partition of orders.outbox for values from (%L) to (%L)',
          'outbox_' || to_char(current_date - back, 'YYYYMMDD'), current_date - back, current_date - back + 1);
      end loop;
    end $$`,
    );
    await database.sql("select maintain_outbox()");
    expect(await days()).toEqual([-8, -7, -1, 0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("can't be dropped, altered or truncated by the service's own role", async () => {
    await expect(database.sql("delete from outbox")).rejects.toMatchObject({ code: "42501" });
    await expect(database.sql("truncate outbox")).rejects.toMatchObject({ code: "42501" });
    await expect(database.sql("drop table outbox")).rejects.toMatchObject({ code: "42501" });
  });
});
