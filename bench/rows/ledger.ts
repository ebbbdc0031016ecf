/** Transfers per second through JetStream and every rule of the ledger, beside a bare posting function. */
import { bookIdOf, newId, uuidOf } from "../../contracts/ids.ts";
import { CreateLedgerAccount } from "../../contracts/messages/ledger.ts";
import { connectNats } from "../../services/platform/messaging/connection.ts";
import { Requester } from "../../services/platform/messaging/requester.ts";
import { openBarePosting } from "../baselines.ts";
import { type Flow, measureFlow } from "../flow.ts";
import { type Contender, interleave, type Measured } from "../measure.ts";
import type { Options } from "../options.ts";
import { bounded, compared, type Row } from "../report.ts";
import type { Stage } from "../stage.ts";
import type { Book } from "../workers/publisher.ts";
import { openPublisherFlow } from "./publisher-flow.ts";

const accountCount = 10_000;
/** Eight full batches of the writer: it never waits for us, and nothing grows. */
const commandsInFlight = 4_000;
const lookEveryMs = 20;

export async function measureLedger(
  stage: Stage,
  options: Options,
  tell: (line: string) => void,
): Promise<Row[]> {
  const book = await openBook(stage, tell);
  const bare = await openBarePosting(stage, accountCount);
  const journals = (what: "hot journals" | "uniform journals"): Contender => ({
    name: `ledger, ${what}`,
    run: async (seconds) => measureFlow(await openJournalFlow(stage, book, what), stage.meter, seconds),
  });
  const hot = journals("hot journals");
  const uniform = journals("uniform journals");
  try {
    await hot.run(Math.max(1, Math.round(options.warmUpSeconds / 3)));
    const [ourHot, bareHot, ourUniform, bareUniform] = await interleave(
      [hot, bare.hot, uniform, bare.uniform],
      options,
      tell,
    );
    if (!ourHot || !bareHot || !ourUniform || !bareUniform) throw new Error("a contender is missing");
    return [
      compared(ourHot, bareHot, {
        what: "Ledger transfers/s through JetStream, one hot account",
        floor: 2.5,
        goal: 8,
      }),
      compared(ourUniform, bareUniform, { what: "The same, 10,000 accounts", floor: 0.7, goal: 1.5 }),
      await measureImages(stage, uniform, options),
    ];
  } finally {
    await bare.hot.close();
    await bare.uniform.close();
  }
}

/** A book of its own with its accounts; the publisher learns them. */
async function openBook(stage: Stage, tell: (line: string) => void): Promise<Book> {
  const tenantId = newId("ten");
  const book = bookIdOf(tenantId, "Test");
  const password = stage.secrets.natsPasswords.operator;
  const nats = await connectNats({ NATS_URL: stage.natsUrl, NATS_USER: "operator", NATS_PASSWORD: password });
  try {
    const requester = new Requester(nats);
    const caller = {
      book,
      tenant: tenantId,
      mode: "Test" as const,
      principal: "bench",
      requestId: newId("req"),
    };
    const accountIds: string[] = [];
    const make = async () => {
      while (accountIds.length < accountCount) {
        const place = accountIds.push("") - 1;
        const name = `Account ${String(place)}`;
        accountIds[place] = (
          await requester.ask(CreateLedgerAccount, { caller }, { name }, { deadlineMs: 30_000 })
        ).value.id;
      }
    };
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 50 }, make));
    tell(
      `${String(accountCount)} accounts made in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`,
    );
    stage.publisher.send({ kind: "meet", natsUrl: stage.natsUrl, password, accountIds });
    await stage.publisher.answer("connecting", (said) => (said.kind === "met" ? true : undefined));
    return { book, tenantId };
  } finally {
    await nats.close();
  }
}

/** Done is what the book's head counts: journals that are committed. */
async function openJournalFlow(
  stage: Stage,
  book: Book,
  what: "hot journals" | "uniform journals",
): Promise<Flow> {
  const head = async () => {
    const { rows } = await stage.admin.query<{ last: number }>(
      "select last_seq::float8 as last from ledger.book_head where book_id = $1",
      [uuidOf(book.book)],
    );
    return rows[0]?.last ?? 0;
  };
  const first = await head();
  let done = 0;
  let looking = true;
  let failure: unknown;
  const look = async () => {
    while (looking) {
      const now = (await head()) - first;
      if (now > done) stage.publisher.send({ kind: "credit", count: now - done });
      done = now;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  };
  look().catch((error: unknown) => {
    failure = error; // said by the next who asks how much is done
  });
  return openPublisherFlow(stage.publisher, {
    what,
    inFlight: commandsInFlight,
    book,
    done: () => {
      if (failure !== undefined)
        throw failure instanceof Error ? failure : new Error("the head can't be read");
      return done;
    },
    close: () => {
      looking = false;
    },
  });
}

/** The first change of a page after a checkpoint writes the whole page: scattered writes pay for it. */
async function measureImages(stage: Stage, uniform: Contender, options: Options): Promise<Row> {
  const images = async () => {
    const { rows } = await stage.admin.query<{ images: number }>(
      "select wal_fpi::float8 as images from pg_stat_wal",
    );
    return rows[0]?.images ?? 0;
  };
  await stage.admin.query("checkpoint");
  const before = await images();
  const measured: Measured = await uniform.run(options.seconds);
  // The server's statistics follow within a second; the ramp's transfers are in neither, so this errs upwards.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const perTransfer = ((await images()) - before) / measured.operations;
  return bounded(
    "Full-page images per transfer after a checkpoint",
    perTransfer,
    { floor: 2, goal: 0.3, unit: "" },
    [`over the first ${String(measured.operations)} transfers, 10,000 accounts`],
  );
}
