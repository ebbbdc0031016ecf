import pino from "pino";
import { expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { asAdmin } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { Housekeeping } from "./housekeeping.ts";

const units = await forThisFile(openFreshUnits("rails"));

const silent = pino({ level: "silent" });
const dayMs = 86_400_000;
/** The id of a message that was created that many days ago. */
const idMadeDaysAgo = (days: number): string => {
  const time = (Date.now() - days * dayMs).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7abc-8abc-0123456789ab`;
};

it("deletes inbox rows after eight days, and no others", async () => {
  const { database } = units;
  const ids = [idMadeDaysAgo(9), idMadeDaysAgo(8.1), idMadeDaysAgo(7.9), idMadeDaysAgo(0)];
  await database.sql("insert into inbox (message_id) select unnest($1::uuid[])", [ids]);
  await new Housekeeping(database, silent, () => undefined).tick();
  const rows = await database.sql<{ message_id: string }>("select message_id from inbox order by message_id");
  expect(rows.map((row) => row.message_id)).toEqual([ids[2], ids[3]]);
});

it("deletes no further batch once it is stopped", async () => {
  const { database } = units;
  const id = idMadeDaysAgo(9);
  await database.sql("insert into inbox (message_id) values ($1)", [id]);
  const old = () => database.sql("select from inbox where message_id = $1", [id]);
  await new Housekeeping(database, silent, () => undefined).tick(AbortSignal.abort());
  expect(await old()).toHaveLength(1);
  await new Housekeeping(database, silent, () => undefined).tick();
  expect(await old()).toEqual([]);
});

it("deletes Idempotency-Keys after thirty days, and never those of payment orders", async () => {
  const { database } = units;
  await database.sql(
    `insert into idempotency (book_id, key, fingerprint, operation, resource_id, response, created_at)
     select gen_random_uuid(), k.key, 'f', k.operation, 'r', '{}', now() - k.age
     from (values
       ('old', 'create-counterparty', interval '31 days'),
       ('young', 'create-counterparty', interval '29 days'),
       ('old order', 'create-order', interval '10 years')
     ) as k (key, operation, age)`,
  );
  await new Housekeeping(database, silent, () => undefined).tick();
  const rows = await database.sql<{ key: string }>("select key from idempotency order by key");
  expect(rows.map((row) => row.key)).toEqual(["old order", "young"]);
});

it("lets a service start that can't prepare its outbox: its ticks try again", async () => {
  const { database, adminUrl } = units;
  const housekeeping = new Housekeeping(database, silent, () => undefined);
  await asAdmin(adminUrl, "alter function rails.maintain_outbox() rename to gone");
  await expect(housekeeping.prepareOutbox()).resolves.toBeUndefined();
  await expect(housekeeping.tick()).rejects.toThrow("maintain_outbox() does not exist");
  await asAdmin(adminUrl, "alter function rails.gone() rename to maintain_outbox");
  await expect(housekeeping.tick()).resolves.toBe(0);
});
