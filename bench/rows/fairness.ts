/** How long one tenant's orders take while another tenant's book is poisoned: every message for it fails. */
import { setTimeout as delay } from "node:timers/promises";
import { jetstream, type JetStreamClient } from "@nats-io/jetstream";
import { bookIdOf, newId, newUuid, uuidOf } from "../../contracts/ids/ids.ts";
import { CreateLedgerAccount, PlaceHold } from "../../contracts/messages/ledger.ts";
import { sqlOf } from "../../scripts/operator/command-line/connections.ts";
import { listSetAside, releaseSetAside } from "../../scripts/operator/messages/set-aside.ts";
import { createMessage, partitionOf } from "../../services/platform/messages/message.ts";
import { connectNats } from "../../services/platform/nats/connection.ts";
import { RpcClient } from "../../services/platform/rpc/client.ts";
import { median, percentile } from "../measures/measure.ts";
import type { Options } from "../options.ts";
import { bounded, type Row } from "../report.ts";
import type { Stage } from "../stage.ts";
import type { Book } from "../workers/publisher.ts";
import { completionTimes, paced } from "./latency.ts";

const what = "Accepted → Completed p99 beside a poisoned book, against the same load undisturbed";
const pollIntervalMs = 50;
const maxReleaseMs = 60_000;
/** The orders of the measured tenant when the run has no `--pace`. */
const ordersPerSecond = 40;
const holdsPerSecond = 50;
const constraint = "bench_poisoned_book";

/**
 * Two turns a round with the same load: orders of one tenant, and holds of another book. In the second turn every hold
 * of that book fails, so the ledger sets it aside during the turn. The ratio of the p99s is the price for the others.
 */
export async function measureFairness(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  const password = stage.secrets.natsPasswords.operator;
  const nats = await connectNats({ NATS_URL: stage.natsUrl, NATS_USER: "operator", NATS_PASSWORD: password });
  try {
    const book = await openTwoAccounts(new RpcClient(nats));
    const js = jetstream(nats);
    const turn = () => measureTurn(stage, options, { js, book });
    await turn(); // to warm up
    const rounds: { readonly alone: number; readonly beside: number }[] = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      const alone = await turn();
      await poison(stage, book);
      const beside = await turn();
      const stored = await mend(stage, book);
      rounds.push({ alone, beside });
      log(
        `round ${String(round)}  undisturbed ${alone.toFixed(1)} ms, beside it ${beside.toFixed(1)} ms; ${String(stored)} messages were set aside`,
      );
    }
    const ratios = rounds.map(({ alone, beside }) => beside / alone);
    const list = rounds.map(({ alone, beside }) => `${beside.toFixed(1)}/${alone.toFixed(1)}`).join(", ");
    const note = `${String(options.pace ?? ordersPerSecond)} orders/s and ${String(holdsPerSecond)} holds/s, open loop; ms of each round: ${list}`;
    return [bounded(what, median(ratios), { floor: 1.5, goal: 1.5, unit: "×" }, [note])];
  } finally {
    await nats.close();
  }
}

async function openTwoAccounts(rpc: RpcClient): Promise<Book> {
  const tenantId = newId("ten");
  const book = bookIdOf(tenantId, "Test");
  const caller = {
    book,
    tenant: tenantId,
    mode: "Test" as const,
    principal: "bench",
    requestId: newId("req"),
  };
  const accountIds: string[] = [];
  for (const name of ["Payer", "Payee"])
    accountIds.push((await rpc.request(CreateLedgerAccount, { caller }, { name })).value.id);
  return { book, tenantId, accountIds };
}

interface Neighbour {
  readonly js: JetStreamClient;
  readonly book: Book;
}

/** The p99 of the orders, in milliseconds. */
async function measureTurn(stage: Stage, options: Options, { js, book }: Neighbour): Promise<number> {
  const state = { isOver: false };
  const holding = (async () => {
    while (!state.isOver) {
      await placeHold(js, book);
      await delay(1_000 / holdsPerSecond);
    }
  })();
  try {
    const run = await paced(stage, options.pace ?? ordersPerSecond, options.seconds);
    return percentile(completionTimes(run), 0.99);
  } finally {
    state.isOver = true;
    await holding;
  }
}

async function placeHold(js: JetStreamClient, { book, tenantId, accountIds }: Book): Promise<void> {
  const [payer = "", payee = ""] = accountIds;
  const orderId = newId("po");
  const message = createMessage(PlaceHold, {
    book,
    subject: orderId,
    data: {
      commandId: newUuid(),
      tenantId,
      mode: "Test",
      orderId,
      direction: "Credit",
      amountCents: 100,
      currency: "USD",
      ledgerAccountId: payer as `la_${string}`,
      contra: { kind: "LedgerAccount", ledgerAccountId: payee as `la_${string}` },
      effectiveAt: new Date().toISOString(),
    },
  });
  // One partition, as the services are started here.
  await js.publish(`${PlaceHold.subject}.${partitionOf(book, 1)}`, JSON.stringify({ messages: [message] }));
}

/** From now on Postgres refuses every outcome of a command of that book. */
async function poison({ admin }: Stage, { book }: Book): Promise<void> {
  await admin.query(
    `alter table ledger.command add constraint ${constraint} check (book_id <> '${uuidOf(book)}') not valid`,
  );
}

/** Removes the cause and releases the book. Returns how many messages were stored; throws if it was not set aside. */
async function mend({ admin }: Stage, { book }: Book): Promise<number> {
  await admin.query(`alter table ledger.command drop constraint ${constraint}`);
  const sql = sqlOf(admin);
  const own = async () => (await listSetAside(sql, ["ledger"])).find((one) => one.book === book);
  const stored = (await own())?.messages ?? 0;
  await releaseSetAside(sql, "ledger", book, { by: "bench", reason: "the turn is over" });
  const deadline = Date.now() + maxReleaseMs;
  while ((await own()) !== undefined) {
    if (Date.now() > deadline) throw new Error("the book's stored messages were not applied");
    await delay(pollIntervalMs);
  }
  return stored;
}
