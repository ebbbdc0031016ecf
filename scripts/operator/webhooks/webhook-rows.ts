/** What `npm run webhooks` reads: rows of all books, each with its owner. */
import { eventTypes } from "../../../contracts/http/webhooks/webhooks.ts";
import { bookIdOf, lowestUuidAt, type Mode, type TenantId, uuidOf } from "../../../contracts/ids/ids.ts";
import { listTenants } from "../../../services/api-gateway/tenants/store/tenants.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";

/** A book's tenant. */
export interface Owner {
  readonly tenant: TenantId;
  readonly name: string;
  readonly mode: Mode;
}

/** By book, as stored `uuid`. */
export type Owners = ReadonlyMap<string, Owner>;

/** The books of a tenant, or of all. Throws if there is no such tenant. Leaves the search path at webhooks. */
export async function booksOf(sql: Sql, tenant: string | undefined): Promise<Owners> {
  await sql("set search_path = gateway");
  const tenants = (await listTenants(sql)).filter(
    ({ id, name }) => tenant === undefined || id === tenant || name === tenant,
  );
  if (tenants.length === 0 && tenant !== undefined)
    throw new Error(`no tenant ${tenant}; see npm run tenants -- list`);
  await sql("set search_path = webhooks");
  return new Map(
    tenants.flatMap(({ id, name }) =>
      (["Test", "Live"] as const).map((mode) => [uuidOf(bookIdOf(id, mode)), { tenant: id, name, mode }]),
    ),
  );
}

export interface EndpointRow {
  readonly id: string;
  readonly book_id: string;
  readonly url: string;
  readonly status: string;
  readonly event_types: string[];
  readonly created_at: Date;
  readonly open: number;
  readonly dead: number;
}

const endpointsSql = `select e.id, e.book_id, e.url, e.status, e.event_types, e.created_at,
     (select count(*)::int
      from delivery d
      where d.endpoint_id = e.id
        and d.claimable_at is not null) as open,
     (select coalesce(sum(of_type.dead), 0)::int
      from unnest($2::text[]) as t (type)
      cross join lateral (
        select count(*) as dead
        from delivery d
        where d.book_id = e.book_id
          and d.endpoint_id = e.id
          and d.event_type = t.type
          and d.filed_status = 'DeadLettered'
      ) of_type) as dead
   from endpoint e
   where e.deleted_at is null
     and e.book_id = any ($1::uuid[])
   order by e.book_id, e.id`;

/** The endpoints that are not deleted, with the number of their open and of their dead-lettered deliveries. */
export function readEndpoints(sql: Sql, books: Owners): Promise<EndpointRow[]> {
  return sql<EndpointRow>(endpointsSql, [[...books.keys()], eventTypes]);
}

export interface DeadFilter {
  /** A stored `uuid`, or null for all. */
  readonly endpoint: string | null;
  readonly since: Date;
  readonly limit: number;
}

export interface DeadRow {
  readonly id: string;
  readonly book_id: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly event_type: string;
  readonly attempt_count: number;
  readonly created_at: Date;
  readonly url: string;
  /** The last attempt. */
  readonly last: {
    readonly at: string;
    readonly response_status: number | null;
    readonly error: string | null;
    readonly error_class: string | null;
  } | null;
}

/** One range of an index for each endpoint and type, newest first, merged. */
const deadSql = `select dead.*, to_jsonb(a) as last
   from (
     select d.*, e.url
     from endpoint e
     cross join unnest($2::text[]) as t (type)
     cross join lateral (
       select id, book_id, event_id, endpoint_id, event_type, attempt_count, created_at
       from delivery
       where book_id = e.book_id
         and endpoint_id = e.id
         and event_type = t.type
         and filed_status = 'DeadLettered'
         and id >= $3
       order by id desc
       limit $5
     ) d
     where e.book_id = any ($1::uuid[])
       and ($4::uuid is null or e.id = $4)
     order by d.id desc
     limit $5
   ) dead
   left join lateral (
     select at, response_status, error, error_class
     from attempt
     where delivery_id = dead.id
     order by id desc
     limit 1
   ) a on true
   order by dead.id desc`;

/** The dead-lettered deliveries made since a time, newest first. */
export function readDead(
  sql: Sql,
  books: Owners,
  { endpoint, since, limit }: DeadFilter,
): Promise<DeadRow[]> {
  return sql<DeadRow>(deadSql, [[...books.keys()], eventTypes, lowestUuidAt(since), endpoint, limit]);
}
