/** The rates of the machine without our services, on the same Postgres server, in separate databases. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import pg from "pg";
import type { Contender } from "./measure.ts";
import { watch } from "./measure.ts";
import type { Stage } from "../stage.ts";
import { startWorker } from "../worker.ts";
import type { FromStatements, ToStatements } from "../workers/statements.ts";

const run = promisify(execFile);
const connections = 8;
const tpcbScale = 20;

export interface Baseline extends Contender {
  close(): Promise<void>;
}

/** pgbench's TPC-B if pgbench is installed, else the same statements from Node. The name tells which. */
export async function openTpcb(stage: Stage): Promise<Baseline> {
  const url = await freshDatabase(stage.adminUrl, "bench_tpcb");
  const hasPgbench = await run("pgbench", ["--version"]).then(
    () => true,
    () => false,
  );
  if (hasPgbench) {
    await pgbench(url, ["--initialize", "--quiet", "--scale", String(tpcbScale)]);
    return {
      name: "pgbench TPC-B",
      run: (seconds) => runPgbench(stage, url, seconds),
      close: async () => undefined,
    };
  }
  await withClient(url, (client) => client.query(tpcbTables));
  return statementsOf(stage, { name: "TPC-B from Node", url, what: "TPC-B", size: tpcbScale });
}

async function runPgbench(stage: Stage, url: string, seconds: number) {
  let transactions = 0;
  // Without --no-vacuum it vacuums its small tables before it begins.
  const args = ["--client", String(connections), "--jobs", "2", "--time", String(seconds)];
  const measured = await watch(
    stage.meter,
    () => transactions,
    async () => {
      const output = await pgbench(url, args);
      transactions = Number(/transactions actually processed: (\d+)/.exec(output)?.[1]);
    },
  );
  if (!(transactions > 0)) throw new Error("pgbench processed no transaction");
  return { ...measured, seconds };
}

async function pgbench(url: string, args: readonly string[]): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const env = { PATH: process.env["PATH"], PGPASSWORD: decodeURIComponent(password) };
  const where = ["--host", hostname, "--port", port, "--username", username, pathname.slice(1)];
  const { stdout } = await run("pgbench", [...args, ...where], { env });
  return stdout;
}

/** The bare posting function: header, two entries, two balance rows; one call per transfer, prepared. */
export async function openBarePosting(
  stage: Stage,
  accounts: number,
): Promise<Record<"hot" | "uniform", Baseline>> {
  const url = await freshDatabase(stage.adminUrl, "bench_posting");
  await withClient(url, async (client) => {
    await client.query(postingTables);
    await client.query("insert into balance (account_id) select generate_series(1, $1::int)", [accounts]);
    await client.query("vacuum analyze");
  });
  return {
    hot: statementsOf(stage, {
      name: "bare posting, one hot account",
      url,
      what: "hot transfers",
      size: accounts,
    }),
    uniform: statementsOf(stage, {
      name: "bare posting, 10,000 accounts",
      url,
      what: "uniform transfers",
      size: accounts,
    }),
  };
}

function statementsOf(
  stage: Stage,
  { name, ...request }: { name: string } & Pick<ToStatements, "url" | "what" | "size">,
): Baseline {
  const worker = startWorker<ToStatements, FromStatements>(
    name,
    new URL("../workers/statements.ts", import.meta.url),
  );
  const meter = stage.meter.with(name, worker.pid);
  return {
    name,
    run: async (seconds) => {
      let operations = 0;
      const measured = await watch(
        meter,
        () => operations,
        async () => {
          worker.send({ kind: "run", ...request, connections, seconds });
          const ran = await worker.answer("a round", (message) => message, (seconds + 60) * 1_000);
          if (ran.failure !== undefined) throw new Error(`${name}: ${ran.failure}`);
          operations = ran.operations;
        },
      );
      return { ...measured, seconds };
    },
    close: () => worker.stop(),
  };
}

async function freshDatabase(adminUrl: string, name: string): Promise<string> {
  await withClient(adminUrl, async (client) => {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
  });
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const postingTables = `
create table journal (id bigint generated always as identity primary key, posted_at timestamptz not null);
create table entry (journal_id bigint, line smallint, account_id int not null, amount bigint not null, primary key (journal_id, line));
create table balance (account_id int primary key, amount bigint not null default 0) with (fillfactor = 50);

create function transfer(debited int, credited int, cents bigint) returns bigint language plpgsql as $$
declare
  number bigint;
begin
  insert into journal (posted_at) values (clock_timestamp()) returning id into number;
  insert into entry values (number, 1, debited, -cents), (number, 2, credited, cents);
  -- The smaller account first: two transfers between the same two never wait for each other.
  if debited < credited then
    update balance set amount = amount - cents where account_id = debited;
    update balance set amount = amount + cents where account_id = credited;
  else
    update balance set amount = amount + cents where account_id = credited;
    update balance set amount = amount - cents where account_id = debited;
  end if;
  return number;
end $$;`;

const tpcbTables = `
create table pgbench_branches (bid int primary key, bbalance int, filler char(88)) with (fillfactor = 100);
create table pgbench_tellers (tid int primary key, bid int, tbalance int, filler char(84)) with (fillfactor = 100);
create table pgbench_accounts (aid int primary key, bid int, abalance int, filler char(84)) with (fillfactor = 100);
create table pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
insert into pgbench_branches select n, 0, '' from generate_series(1, ${String(tpcbScale)}) n;
insert into pgbench_tellers select n, 1 + (n - 1) / 10, 0, '' from generate_series(1, ${String(tpcbScale * 10)}) n;
insert into pgbench_accounts select n, 1 + (n - 1) / 100000, 0, '' from generate_series(1, ${String(tpcbScale * 100_000)}) n;
analyze;`;
