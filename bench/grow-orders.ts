/** Fills the tables with copies of the orders that the bench has completed, as if they had come over the last year. */
import type pg from "pg";
import { idOf } from "../contracts/ids/ids.ts";

/** How many completed orders are copied, by turns. */
const originals = 1_000;

/** Where a copy differs from its original; the other columns are copied. `o` is the original row. */
interface Copies {
  readonly table: string;
  /** Pairs each row to copy with its copy. */
  readonly from: string;
  readonly changed: Readonly<Record<string, string>>;
}

const ofOrder = (table: string, column: string) =>
  `copied_order c join ${table} o on o.${column} = c.original_id`;
const createdAt = "uuid_extract_timestamp(c.id)";

const copies: readonly Copies[] = [
  {
    table: "orders.payment_order",
    from: ofOrder("orders.payment_order", "id"),
    changed: { id: "c.id", created_at: createdAt, updated_at: `${createdAt} + interval '1 second'` },
  },
  {
    table: "orders.status_change",
    from: ofOrder("orders.status_change", "order_id"),
    changed: { order_id: "c.id", at: `${createdAt} + o.position * interval '200 milliseconds'` },
  },
  {
    table: "orders.idempotency",
    from: "copied_order c join orders.idempotency o on o.resource_id = c.original_object",
    changed: { key: "gen_random_uuid()::text", resource_id: "c.object", created_at: createdAt },
  },
  {
    table: "rails.instruction",
    from: ofOrder("rails.instruction", "order_id"),
    changed: { order_id: "c.id", submitted_at: createdAt },
  },
  {
    table: "rails.step",
    from: ofOrder("rails.step", "order_id"),
    changed: { order_id: "c.id", due_at: createdAt, published_at: createdAt },
  },
  {
    table: "rails.bank_movement",
    from: ofOrder("rails.bank_movement", "order_id"),
    changed: { order_id: "c.id", occurred_at: createdAt },
  },
  {
    table: "webhooks.event",
    from: "copied_event c join webhooks.event o on o.id = c.original_id",
    changed: { id: "c.id", object_id: "c.object", created_at: createdAt },
  },
  {
    table: "webhooks.rendering",
    from: "copied_event c join webhooks.rendering o on o.event_id = c.original_id",
    changed: { event_id: "c.id" },
  },
  {
    table: "webhooks.delivery",
    from: "copied_delivery c join webhooks.delivery o on o.id = c.original_id",
    changed: { id: "c.id", event_id: "c.event_id", created_at: createdAt, acknowledged_at: createdAt },
  },
  {
    table: "webhooks.attempt",
    from: "copied_delivery c join webhooks.attempt o on o.delivery_id = c.original_id",
    changed: { delivery_id: "c.id", id: "uuidv7()", at: createdAt },
  },
];

/**
 * The new ids have the times of the past, in order. An object's text is not a TypeID, but as long as one and sorted
 * like one: nobody asks for these orders over HTTP.
 */
const pairs = [
  `create temp table copied_order as
   select n.number, i.id, t.id as original_id, t.object as original_object,
     'po_' || left(replace(i.id::text, '-', ''), 26) || right(i.id::text, 6) as object
   from generate_series(1, $1::int) n (number)
   join original t on t.number = n.number % $2::int
   cross join lateral (
     select uuidv7((n.number - $1::int - 1) * interval '1 year' / $1::int) as id
   ) i
   order by n.number`,
  `create temp table copied_event as
   select o.id as original_id, uuidv7(${createdAt} - now()) as id, c.object, c.number
   from copied_order c
   join webhooks.event o on o.object_id = c.original_object
   order by c.number`,
  `create temp table copied_delivery as
   select o.id as original_id, uuidv7(${createdAt} - now()) as id, c.id as event_id
   from copied_event c
   join webhooks.delivery o on o.event_id = c.original_id
   order by c.number`,
];

/**
 * Copies orders of the book that are in one of the phases, with their rows in orders, rails and webhooks, until there
 * are `size` orders.
 */
export async function growOrders(
  admin: pg.Client,
  {
    book,
    phases,
    size,
  }: { readonly book: string; readonly phases: readonly string[]; readonly size: number },
  log: (line: string) => void,
): Promise<void> {
  const missing = size - (await countOrders(admin));
  if (missing <= 0) return;
  await admin.query("set work_mem = '256MB'");
  await admin.query("set maintenance_work_mem = '512MB'");
  const found = await findOriginals(admin, book, phases);
  await admin.query("create temp table original (number int, id uuid, object text)");
  await admin.query("insert into original select * from unnest($1::int[], $2::uuid[], $3::text[])", [
    found.map((_, index) => index),
    found,
    found.map((id) => idOf("po", id)),
  ]);
  await admin.query(
    pairs[0]?.replaceAll("$1::int", String(missing)).replaceAll("$2::int", String(found.length)) ?? "",
  );
  for (const statement of pairs.slice(1)) await admin.query(statement);
  for (const table of copies) log(`${table.table}: ${String(await copy(admin, table))} rows`);
  await admin.query("drop table copied_delivery, copied_event, copied_order, original");
  await admin.query("reset work_mem");
  await admin.query("reset maintenance_work_mem");
}

export async function countOrders(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ count: number }>(
    "select count(*)::int as count from orders.payment_order",
  );
  return rows[0]?.count ?? 0;
}

/** Those whose webhooks have been recorded: the last ones may be under way. */
async function findOriginals(admin: pg.Client, book: string, phases: readonly string[]): Promise<string[]> {
  const { rows } = await admin.query<{ id: string }>(
    `select id from orders.payment_order where book_id = $1 and phase = any ($2::text[]) order by id limit $3`,
    [book, phases, originals],
  );
  if (rows.length === 0) throw new Error(`no order is ${phases.join(" or ")}`);
  return rows.map(({ id }) => id);
}

/** Indexes that keep no rule are built after the rows, which takes a fraction of the time. */
async function copy(admin: pg.Client, { table, from, changed }: Copies): Promise<number> {
  const { rows: columns } = await admin.query<{ name: string }>(
    `select attname as name
     from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
     order by attnum`,
    [table],
  );
  const { rows: indexes } = await admin.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index
     where indrelid = $1::regclass and not indisunique`,
    [table],
  );
  for (const { name } of indexes) await admin.query(`drop index ${name}`);
  const names = columns.map(({ name }) => name);
  const { rowCount } = await admin.query(
    `insert into ${table} (${names.map((name) => `"${name}"`).join(", ")})
     select ${names.map((name) => changed[name] ?? `o."${name}"`).join(", ")}
     from ${from}`,
  );
  for (const { definition } of indexes) await admin.query(definition);
  return rowCount ?? 0;
}
