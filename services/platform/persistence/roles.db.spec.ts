import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, services } from "../../../contracts/message.ts";
import { createDatabase, type TestDatabase } from "../../../test/stack/servers/database.ts";

// Five services share one server and trust one another with nothing: each logs in as its own role, which owns nothing.
let database: TestDatabase;
let admin: pg.Client;
const clients = new Map<Service, pg.Client>();
beforeAll(async () => {
  database = await createDatabase([...services]);
  admin = new pg.Client(database.adminUrl);
  await admin.connect();
  for (const service of services) {
    const client = new pg.Client(database.urlOf(service));
    await client.connect();
    clients.set(service, client);
  }
});
afterAll(async () => {
  for (const client of [admin, ...clients.values()]) await client.end();
  await database.drop();
});

async function rows<R extends object>(text: string, params: unknown[] = []): Promise<R[]> {
  return (await admin.query<R>(text, params)).rows;
}

/** The SQLSTATE with which a statement of that role is refused, in a transaction that is rolled back. */
async function whyNot(service: Service, statement: string): Promise<string> {
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

describe.each(services)("the role of %s", (service) => {
  const others = services.filter((other) => other !== service);

  it("is nobody special, and nobody else", async () => {
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
    // What answers tenants steps down to a role that sees less.
    const reader = { role: "ledger_reader", inherits: false, grants: false };
    expect(memberships).toEqual(service === "ledger" ? [reader] : []);
    for (const other of [...others, "postgres"]) {
      expect(await whyNot(service, `set role ${other}`), other).toBe(denied);
      expect(await whyNot(service, `set session authorization ${other}`), other).toBe(denied);
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

  it("has no right to anything of another service", async () => {
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
    // And so it is when it tries: what the catalogue says of rights is what Postgres goes by.
    for (const { name } of all) {
      for (const attack of [
        `select 1 from ${name}`,
        `insert into ${name} default values`,
        `update ${name} set ctid = ctid`,
        `delete from ${name}`,
        `truncate ${name}`,
        `lock table ${name} in access share mode`,
      ]) {
        expect(await whyNot(service, attack), attack).toMatch(/^(42501|0A000)$/);
      }
    }
    for (const other of others) {
      expect(await whyNot(service, `create table ${other}.mine ()`), other).toBe(denied);
      expect(await whyNot(service, `select ${other}.maintain_outbox()`), other).toBe(denied);
    }
  }, 60_000);

  it("makes nothing, in its own schema either", async () => {
    for (const schema of [service, "public", "pg_catalog"]) {
      expect(await whyNot(service, `create table ${schema}.mine ()`), schema).toBe(denied);
      expect(await whyNot(service, `create function ${schema}.mine() returns int return 1`), schema).toBe(
        denied,
      );
    }
    expect(await whyNot(service, "create schema mine")).toBe(denied);
    expect(await whyNot(service, "create role mine")).toBe(denied);
    expect(await whyNot(service, "create extension lo")).toMatch(/^(42501|58P01|0A000)$/);
  });

  it("changes nothing of what is enforced on it", async () => {
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
      expect(await whyNot(service, attack), attack).toBe(denied);
    }
    const forTheServer = clients.get(service)!.query("alter system set fsync = off");
    await expect(forTheServer).rejects.toMatchObject({ code: denied });
  });

  it("reaches nothing of the server but its tables", async () => {
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
      expect(await whyNot(service, attack), attack).toBe(denied);
    }
    const { rows: sessions } = await admin.query<{ pid: number }>("select pg_backend_pid() as pid");
    expect(await whyNot(service, `select pg_terminate_backend(${sessions[0]!.pid})`)).toBe(denied);
    expect(await whyNot(service, `select pg_cancel_backend(${sessions[0]!.pid})`)).toBe(denied);
  });
});

describe("functions that run with their owner's rights", () => {
  it("look where they say, and in nobody's temporary tables first", async () => {
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

  it("are, in the ledger, for whom they were granted to", async () => {
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
  it("alone goes past the policies of its tables", async () => {
    const bypassing = await rows(
      "select rolname from pg_roles where rolbypassrls and not rolsuper order by 1",
    );
    expect(bypassing).toEqual([{ rolname: "ledger" }]);
  });

  it("may change what stands, delete it and empty it in these tables only", async () => {
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
    // Inbox and keys grow old, what waited is done: none of these is money.
    expect(await may("delete")).toEqual(["deferred_command", "idempotency", "inbox", "statement_part"]);
    expect(await may("update")).toEqual([
      "audit",
      "deferred_command",
      "failed_message",
      "inbound_payment",
      "obligation",
      "outbox",
      "virtual_account",
    ]);
  });

  it("can't keep others from a book but by the head's lock", async () => {
    for (const table of ["entry", "journal", "book_head", "account_balance"]) {
      expect(await whyNot("ledger", `lock table ledger.${table} in access exclusive mode`), table).toBe(
        denied,
      );
      expect(await whyNot("ledger", `lock table ledger.${table} in share mode`), table).toBe(denied);
    }
  });
});
