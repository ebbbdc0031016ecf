import type pg from "pg";
import { describe, expect, it } from "vitest";
import { type Service, services } from "../../../contracts/message.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { connectTo, createDatabase } from "../../../test/stack/servers/database.ts";

// Five services share one server and don't trust one another: each logs in as its own role, which owns nothing.
const clients = new Map<Service, pg.Client>();
const database = await forThisFile(createDatabase([...services]));
const admin = await forThisFile(connectTo(database.adminUrl));
for (const service of services) {
  clients.set(service, await forThisFile(connectTo(database.urlOf(service))));
}

async function rows<R extends object>(text: string, params: unknown[] = []): Promise<R[]> {
  return (await admin.query<R>(text, params)).rows;
}

/** The SQLSTATE with which a statement of that role is refused, in a transaction that is rolled back. */
async function errorOf(service: Service, statement: string): Promise<string> {
  const client = clients.get(service)!;
  await client.query("begin");
  try {
    await client.query(statement);
    return "nobody refused it";
  } catch (error) {
    return (error as pg.DatabaseError).code ?? "no code";
  } finally {
    await client.query("rollback");
  }
}
const denied = "42501";

it.each(services)("a session role switches off no trigger of %s", async (service) => {
  const spared = await rows(
    `select t.tgrelid::regclass::text as table, t.tgname as trigger
     from pg_trigger t
     join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = $1::regnamespace and not t.tgisinternal and t.tgenabled <> 'A'`,
    [service],
  );
  expect(spared, "alter table … enable always trigger …, in the migration that creates it").toEqual([]);
});

describe.each(services)("the role of %s", (service) => {
  const others = services.filter((other) => other !== service);

  it("has no special attribute and is no member of another role", async () => {
    const [attributes] = await rows(
      "select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolinherit, rolcanlogin from pg_roles where rolname = $1",
      [service],
    );
    expect(attributes).toEqual({
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolinherit: true,
      rolcanlogin: true,
    });
    const memberships = await rows(
      `select r.rolname as role, m.inherit_option as inherits, m.admin_option as grants
       from pg_auth_members m join pg_roles r on r.oid = m.roleid where m.member = $1::regrole`,
      [service],
    );
    // Reads for tenants switch to a role that sees less.
    const reader = { role: "ledger_reader", inherits: false, grants: false };
    expect(memberships).toEqual(service === "ledger" ? [reader] : []);
    for (const other of [...others, "postgres"]) {
      expect(await errorOf(service, `set role ${other}`), other).toBe(denied);
      expect(await errorOf(service, `set session authorization ${other}`), other).toBe(denied);
    }
  });

  it("owns nothing", async () => {
    const owned = await rows(
      `select relname as name from pg_class where relowner = $1::regrole
       union all select proname from pg_proc where proowner = $1::regrole
       union all select typname from pg_type where typowner = $1::regrole
       union all select nspname from pg_namespace where nspowner = $1::regrole
       union all select datname from pg_database where datdba = $1::regrole`,
      [service],
    );
    expect(owned).toEqual([]);
  });

  it("has no privilege on another service's schema", async () => {
    const rights = await rows(
      `select n.nspname || '.' || c.relname as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = any ($2) and c.relkind in ('r', 'p', 'v', 'm', 'f')
         and has_table_privilege($1, c.oid, 'select, insert, update, delete, truncate, references, trigger, maintain')
       union all
       select n.nspname from pg_namespace n
       where n.nspname = any ($2) and has_schema_privilege($1, n.oid, 'usage, create')`,
      [service, others],
    );
    expect(rights).toEqual([]);
    const all = await rows<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = any ($1) and c.relkind in ('r', 'p') and not c.relispartition`,
      [others],
    );
    expect(all.length).toBeGreaterThan(30);
    // The statements fail, too: Postgres enforces what the catalogue lists.
    for (const { name } of all) {
      for (const attack of [
        `select 1 from ${name}`,
        `insert into ${name} default values`,
        `update ${name} set ctid = ctid`,
        `delete from ${name}`,
        `truncate ${name}`,
        `lock table ${name} in access share mode`,
      ]) {
        expect(await errorOf(service, attack), attack).toMatch(/^(42501|0A000)$/);
      }
    }
    for (const other of others) {
      expect(await errorOf(service, `create table ${other}.mine ()`), other).toBe(denied);
      expect(await errorOf(service, `select ${other}.maintain_outbox()`), other).toBe(denied);
    }
  });

  it("can't create anything, not even in its own schema", async () => {
    for (const schema of [service, "public", "pg_catalog"]) {
      expect(await errorOf(service, `create table ${schema}.mine ()`), schema).toBe(denied);
      const create = `create function ${schema}.mine() returns int return 1`;
      expect(await errorOf(service, create), schema).toBe(denied);
    }
    expect(await errorOf(service, "create schema mine")).toBe(denied);
    expect(await errorOf(service, "create role mine")).toBe(denied);
    expect(await errorOf(service, "create extension lo")).toMatch(/^(42501|58P01|0A000)$/);
  });

  it("can't change its tables, and can't disable triggers, policies or fsync", async () => {
    const [own] = await rows<{ name: string; trigger: string | null }>(
      `select c.relname as name, min(t.tgname) as trigger
       from pg_class c left join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal
       where c.relnamespace = $1::regnamespace and c.relkind = 'r' and not c.relispartition and c.relname <> 'migration'
       group by c.relname order by 2 nulls last limit 1`,
      [service],
    );
    const table = `${service}.${own!.name}`;
    for (const attack of [
      "set session_replication_role = replica",
      `alter table ${table} disable trigger all`,
      `alter table ${table} disable trigger user`,
      `alter table ${table} add column mine int`,
      `alter table ${table} disable row level security`,
      `alter table ${table} owner to ${service}`,
      `drop table ${table} cascade`,
      `drop schema ${service} cascade`,
      `create trigger mine before insert on ${table} for each row execute function suppress_redundant_updates_trigger()`,
      `create index mine on ${table} ((1))`,
      `create policy mine on ${table}`,
      `select 1 from ${service}.migration`,
      `alter role ${service} superuser`,
      `alter role ${service} bypassrls`,
      "alter database postgres set fsync = off",
      "alter function pg_catalog.now() leakproof",
    ]) {
      expect(await errorOf(service, attack), attack).toBe(denied);
    }
    const forTheServer = clients.get(service)!.query("alter system set fsync = off");
    await expect(forTheServer).rejects.toMatchObject({ code: denied });
  });

  it("can't use anything of the server but its tables", async () => {
    for (const attack of [
      "select pg_read_file('PG_VERSION')",
      "select pg_read_binary_file('PG_VERSION')",
      "select pg_ls_dir('.')",
      "select pg_stat_file('PG_VERSION')",
      "copy (select 1) to '/tmp/mine'",
      "copy (select 1) to program 'true'",
      "select lo_import('/etc/hostname')",
      "select rolpassword from pg_authid",
      "select pg_reload_conf()",
      "select pg_rotate_logfile()",
      "select pg_switch_wal()",
      "select pg_create_restore_point('mine')",
      "select pg_stat_reset()",
      "select pg_current_logfile()",
      "select set_config('log_min_messages', 'debug5', false)",
    ]) {
      expect(await errorOf(service, attack), attack).toBe(denied);
    }
    const { rows: sessions } = await admin.query<{ pid: number }>("select pg_backend_pid() as pid");
    expect(await errorOf(service, `select pg_terminate_backend(${sessions[0]!.pid})`)).toBe(denied);
    expect(await errorOf(service, `select pg_cancel_backend(${sessions[0]!.pid})`)).toBe(denied);
  });
});

describe("functions that run with their owner's rights", () => {
  it("have a fixed search path, with temporary tables last", async () => {
    const loose = await rows(
      `select p.oid::regprocedure::text as name, p.proconfig
       from pg_proc p
       where p.pronamespace = any (select oid from pg_namespace where nspname = any ($1))
         and p.prosecdef
         and not coalesce(p.proconfig @> array['search_path=' || p.pronamespace::regnamespace || ', pg_temp'], false)`,
      [services],
    );
    expect(loose).toEqual([]);
  });

  it("are not open to every role in the ledger", async () => {
    const open = await rows(
      `select p.oid::regprocedure::text as name
       from pg_proc p
       where p.pronamespace = 'ledger'::regnamespace and p.prosecdef and p.prorettype <> 'trigger'::regtype
         and has_function_privilege('public', p.oid, 'execute')`,
    );
    expect(open).toEqual([]);
  });
});

describe("the ledger's role", () => {
  it("is the only one that bypasses the policies of its tables", async () => {
    const bypassing = await rows(
      "select rolname from pg_roles where rolbypassrls and not rolsuper order by 1",
    );
    expect(bypassing).toEqual([{ rolname: "ledger" }]);
  });

  it("may update, delete and truncate in these tables only", async () => {
    const may = async (right: string) => {
      const found = await rows<{ name: string }>(
        `select c.relname as name from pg_class c
         where c.relnamespace = 'ledger'::regnamespace and c.relkind in ('r', 'p')
           and (has_table_privilege('ledger', c.oid, $1) or $1 = 'update' and has_any_column_privilege('ledger', c.oid, $1))
         order by 1`,
        [right],
      );
      return found.map(({ name }) => name);
    };
    expect(await may("truncate")).toEqual([]);
    expect(await may("trigger")).toEqual([]);
    expect(await may("maintain")).toEqual([]);
    // Expired inbox rows and keys, deferred work that is done, and confirmed messages: none of these is money.
    expect(await may("delete")).toEqual([
      "deferred_command",
      "idempotency",
      "inbox",
      "set_aside_book",
      "set_aside_message",
      "statement_part",
      "unconfirmed_message",
    ]);
    expect(await may("update")).toEqual([
      "account",
      "audit",
      "book_clock",
      "deferred_command",
      "failed_message",
      "inbound_payment",
      "obligation",
      "outbox",
      "set_aside_book",
      "transaction_policy",
      "virtual_account",
    ]);
  });

  it("may change the description and metadata of an account, and nothing else of it", async () => {
    const columns = await rows(
      `select a.attname as name from pg_attribute a
       where a.attrelid = 'ledger.account'::regclass and a.attnum > 0
         and has_column_privilege('ledger', a.attrelid, a.attnum, 'update')
       order by 1`,
    );
    expect(columns).toEqual([{ name: "description" }, { name: "metadata" }, { name: "updated_at" }]);
  });

  it("can't block others from a book, except by the lock of its head", async () => {
    for (const table of ["entry", "journal", "book_head", "account_balance"]) {
      for (const mode of ["access exclusive", "share"]) {
        expect(await errorOf("ledger", `lock table ledger.${table} in ${mode} mode`), table).toBe(denied);
      }
    }
  });
});
