/** Runs one statement after the other on each of several connections: the bare baselines, without any service. */
import pg from "pg";
import { serveParent } from "../worker.ts";

export interface ToStatements {
  readonly kind: "run";
  readonly url: string;
  readonly what: "hot transfers" | "uniform transfers" | "TPC-B";
  readonly connections: number;
  readonly seconds: number;
  /** Accounts of a transfer, or TPC-B's scale. */
  readonly size: number;
}

export interface FromStatements {
  readonly kind: "ran";
  readonly operations: number;
  readonly failure: string | undefined;
}

const upTo = (most: number) => 1 + Math.floor(Math.random() * most);

async function transfer(client: pg.Client, hot: boolean, accounts: number): Promise<void> {
  const debited = hot ? 1 : 1 + upTo(accounts - 1);
  let credited = 1 + upTo(accounts - 1);
  while (credited === debited) credited = 1 + upTo(accounts - 1);
  await client.query({
    name: "transfer",
    text: "select transfer($1, $2, $3)",
    values: [debited, credited, 100],
  });
}

/** pgbench's "TPC-B (sort of)", statement by statement; see `pgbench --show-script=tpcb-like`. */
async function tpcb(client: pg.Client, scale: number): Promise<void> {
  const [account, teller, branch] = [upTo(100_000 * scale), upTo(10 * scale), upTo(scale)];
  const delta = Math.floor(Math.random() * 10_001) - 5_000;
  const send = (text: string) => client.query(text);
  const [a, t, b, d] = [account, teller, branch, delta].map(String);
  await send("begin");
  await send(`update pgbench_accounts set abalance = abalance + ${d} where aid = ${a}`);
  await send(`select abalance from pgbench_accounts where aid = ${a}`);
  await send(`update pgbench_tellers set tbalance = tbalance + ${d} where tid = ${t}`);
  await send(`update pgbench_branches set bbalance = bbalance + ${d} where bid = ${b}`);
  await send(
    `insert into pgbench_history (tid, bid, aid, delta, mtime) values (${t}, ${b}, ${a}, ${d}, current_timestamp)`,
  );
  await send("end");
}

async function run({ url, what, connections, seconds, size }: ToStatements): Promise<number> {
  const clients = Array.from({ length: connections }, () => new pg.Client(url));
  try {
    await Promise.all(clients.map((client) => client.connect()));
    const endsAt = performance.now() + seconds * 1_000;
    let operations = 0;
    const work = async (client: pg.Client) => {
      while (performance.now() < endsAt) {
        if (what === "TPC-B") await tpcb(client, size);
        else await transfer(client, what === "hot transfers", size);
        operations += 1;
      }
    };
    await Promise.all(clients.map(work));
    return operations;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

serveParent<ToStatements, FromStatements>((message, reply) => {
  run(message).then(
    (operations) => reply({ kind: "ran", operations, failure: undefined }),
    (error: unknown) => reply({ kind: "ran", operations: 0, failure: String(error) }),
  );
});
