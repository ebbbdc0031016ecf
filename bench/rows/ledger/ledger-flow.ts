/** A book with its accounts, and journals for it through JetStream: used by every row of the ledger. */
import { bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { CreateLedgerAccount } from "../../../contracts/messages/ledger.ts";
import { connectNats } from "../../../services/platform/nats/connection.ts";
import { RpcClient } from "../../../services/platform/rpc/client.ts";
import { type Flow, measureFlow } from "../../measures/flow.ts";
import type { Contender } from "../../measures/measure.ts";
import type { Stage } from "../../stage.ts";
import type { Book } from "../../workers/publisher.ts";
import { openPublisherFlow } from "../webhooks/publisher-flow.ts";

export const accountCount = 10_000;
/** Eight full batches: the writer never waits for the load, and no queue grows. */
const commandsInFlight = 4_000;
const pollIntervalMs = 20;

/**
 * Transfers from one hot account, or between any two. Each is the hold of a Book order: one journal of two entries.
 * They count when they are committed.
 */
export function journals(
  stage: Stage,
  books: readonly Book[],
  what: "hot journals" | "uniform journals",
  { name = `ledger, ${what} (holds)`, meter = stage.meter } = {},
): Contender {
  return {
    name,
    run: async (seconds) => measureFlow(await openJournalFlow(stage, books, what), meter, seconds),
  };
}

/** A new book with its accounts. */
export async function openBook(stage: Stage, log: (line: string) => void): Promise<Book> {
  const tenantId = newId("ten");
  const book = bookIdOf(tenantId, "Test");
  const password = stage.secrets.natsPasswords.operator;
  const nats = await connectNats({ NATS_URL: stage.natsUrl, NATS_USER: "operator", NATS_PASSWORD: password });
  try {
    const rpc = new RpcClient(nats);
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
        const index = accountIds.push("") - 1;
        const name = `Account ${String(index)}`;
        accountIds[index] = (
          await rpc.request(CreateLedgerAccount, { caller }, { name }, { deadlineMs: 30_000 })
        ).value.id;
      }
    };
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 50 }, make));
    log(`${String(accountCount)} accounts made in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    return { book, tenantId, accountIds };
  } finally {
    await nats.close();
  }
}

/** Done is the number of committed journals, read from the books' heads. */
async function openJournalFlow(
  stage: Stage,
  books: readonly Book[],
  what: "hot journals" | "uniform journals",
): Promise<Flow> {
  const head = async () => {
    const { rows } = await stage.admin.query<{ last: number }>(
      "select sum(last_seq)::float8 as last from ledger.book_head where book_id = any ($1)",
      [books.map(({ book }) => uuidOf(book))],
    );
    return rows[0]?.last ?? 0;
  };
  const first = await head();
  let done = 0;
  let polling = true;
  let failure: unknown;
  const poll = async () => {
    while (polling) {
      const now = (await head()) - first;
      if (now > done) stage.publisher.send({ kind: "credit", count: now - done });
      done = now;
      await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
    }
  };
  poll().catch((error: unknown) => {
    failure = error; // thrown by the next call of `done`
  });
  return openPublisherFlow(stage.publisher, {
    what,
    inFlight: commandsInFlight,
    books,
    done: () => {
      if (failure !== undefined)
        throw failure instanceof Error ? failure : new Error("the head can't be read");
      return done;
    },
    close: () => {
      polling = false;
    },
  });
}
