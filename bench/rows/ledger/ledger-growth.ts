/**
 * The cost of reading a balance and of posting, before and after the book has ten times the entries. The book
 * is loaded for some ten minutes in between, and a shared machine may change its speed in that time. So each cost is
 * divided by what a bare posting function costs Postgres in the same rounds. Its tables are empty at first, and have
 * far fewer rows at the end.
 */
import { setTimeout as delay } from "node:timers/promises";
import { newId } from "../../../contracts/ids/ids.ts";
import { GetLedgerAccount } from "../../../contracts/messages/ledger.ts";
import { connectNats } from "../../../services/platform/nats/connection.ts";
import { RpcClient } from "../../../services/platform/rpc/client.ts";
import { openBarePosting } from "../../measures/baselines.ts";
import { type Contender, type Figure, interleave, watch } from "../../measures/measure.ts";
import type { Options } from "../../options.ts";
import { bounded, type Row } from "../../report.ts";
import type { Stage } from "../../stage.ts";
import { startWorker, type Worker } from "../../worker.ts";
import type { FromLoader, ToLoader } from "../../workers/ledger-loader.ts";
import type { Book } from "../../workers/publisher.ts";
import { accountCount, journals, openBook } from "./ledger-flow.ts";
import { mustBeSound } from "./ledger-proof.ts";

const sizes = [1_000_000, 10_000_000] as const;
const concurrentReads = 16;
const loadWithinMs = 3_600_000;

/** Fills a book to each size, measures there, and has it proven at the end. */
export async function measureLedgerGrowth(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  const book = await openBook(stage, log);
  const loader = startWorker<ToLoader, FromLoader>(
    "loader",
    new URL("../../../dist/bench/workers/ledger-loader.js", import.meta.url),
  );
  const closers: (() => Promise<unknown>)[] = [() => loader.stop()];
  try {
    const reads = await openReads(stage, book);
    closers.push(() => reads.close());
    const bare = await openBarePosting(stage, accountCount);
    closers.push(
      () => bare.hot.close(),
      () => bare.uniform.close(),
    );
    const measured: (readonly Figure[])[] = [];
    let then = "";
    for (const size of sizes) {
      const seconds = await loadUpTo(stage, loader, book, size);
      log(`${String(size)} entries after ${seconds.toFixed(0)} s of loading`);
      then ||= new Date().toISOString();
      const contenders = [
        journals(stage, [book], "uniform journals", { name: `posting at ${String(size)} entries` }),
        reads.contender(`balance at ${String(size)} entries`),
        // The same moment at both sizes: the time when the first million was loaded.
        reads.contender(`balance as of then, at ${String(size)} entries`, then),
        bare.uniform,
      ];
      for (const contender of contenders) await contender.run(Math.max(1, options.warmUpSeconds / 3));
      measured.push(await interleave(contenders, options, log));
    }
    const { seconds } = await mustBeSound(stage, [book]);
    const [before = [], after = []] = measured;
    return rowsOf(before, after, `the book was proven afterwards, in ${seconds.toFixed(0)} s`);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Loads the missing entries and waits until vacuum has finished. Returns how long loading took. */
async function loadUpTo(
  stage: Stage,
  loader: Worker<ToLoader, FromLoader>,
  book: Book,
  size: number,
): Promise<number> {
  const standing = async () => {
    const { rows } = await stage.admin.query<{ entries: number }>(
      "select count(*)::float8 as entries from ledger.entry",
    );
    return rows[0]?.entries ?? 0;
  };
  const startedAt = performance.now();
  const entries = size - (await standing());
  loader.send({ kind: "load", url: stage.databaseUrlOf("ledger"), book, entries });
  const { failure } = await loader.answer("loading", (message) => message, loadWithinMs);
  if (failure !== undefined) throw new Error(failure);
  const seconds = (performance.now() - startedAt) / 1_000;
  await stage.admin.query("vacuum analyze");
  await stage.admin.query("checkpoint");
  await delay(1_000);
  return seconds;
}

/** Closed loop of requests for random accounts' balances, as the gateway sends them. */
async function openReads(stage: Stage, book: Book) {
  const nats = await connectNats({
    NATS_URL: stage.natsUrl,
    NATS_USER: "operator",
    NATS_PASSWORD: stage.secrets.natsPasswords.operator,
  });
  const rpc = new RpcClient(nats);
  const caller = {
    book: book.book,
    tenant: book.tenantId,
    mode: "Test" as const,
    principal: "bench",
    requestId: newId("req"),
  };
  const read = async (asOf: string | undefined) => {
    const id = book.accountIds[Math.floor(Math.random() * book.accountIds.length)] ?? "";
    await rpc.request(GetLedgerAccount, { caller }, { id, ...(asOf === undefined ? {} : { asOf }) });
  };
  return {
    contender: (name: string, asOf?: string): Contender => ({
      name,
      run: (seconds) => {
        let done = 0;
        return watch(
          stage.meter,
          () => done,
          async () => {
            const endsAt = performance.now() + seconds * 1_000;
            const work = async () => {
              for (; performance.now() < endsAt; done += 1) await read(asOf);
            };
            await Promise.all(Array.from({ length: concurrentReads }, work));
          },
        );
      },
    }),
    close: () => nats.close(),
  };
}

const bounds = [
  { what: "posting, CPU of Postgres and the ledger", floor: 1.3, goal: 1.15 },
  { what: "balance read, CPU of Postgres and the ledger", floor: 1.1, goal: 1.05 },
  { what: "balance read as of a time, CPU of Postgres and the ledger", floor: 1.3, goal: 1.1 },
] as const;

function rowsOf(before: readonly Figure[], after: readonly Figure[], note: string): Row[] {
  const slower = postgresCostOf(bareOf(after)) / postgresCostOf(bareOf(before));
  const notes = [
    `a bare posting took Postgres ${slower.toFixed(2)} times as much at 10M as at 1M; ratios are divided by this`,
    note,
  ];
  return bounds.map(({ what, floor, goal }, index) => {
    const [small, large] = [before[index], after[index]];
    if (small === undefined || large === undefined) throw new Error(`${what} was not measured`);
    const ratio = costOf(large) / costOf(small) / slower;
    const costs = [small, large].map(
      (figure) =>
        `${figure.name}: ${costOf(figure).toFixed(1)} µs each, ${figure.medianRate.toFixed(0)}/s; others took ${figure.othersPercent.toFixed(0)} % of a core`,
    );
    const row = bounded(`1M → 10M entries: ${what}`, ratio, { floor, goal, unit: "×" }, [...costs, ...notes]);
    return { ...row, figures: [small, large] };
  });
}

function bareOf(figures: readonly Figure[]): Figure {
  const bare = figures[bounds.length];
  if (bare === undefined) throw new Error("bare posting was not measured");
  return bare;
}

/** µs of the whole server, autovacuum too, and of the service: the others' cost is not the size's. */
function costOf(figure: Figure): number {
  return postgresCostOf(figure) + (figure.cpuPerOperation["ledger"] ?? 0);
}

function postgresCostOf({ cpuPerOperation }: Figure): number {
  return Object.entries(cpuPerOperation)
    .filter(([part]) => part.startsWith("postgres "))
    .reduce((sum, [, us]) => sum + us, 0);
}
