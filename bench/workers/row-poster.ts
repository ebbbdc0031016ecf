/**
 * Posts one journal per transaction with all that the ledger does for it: head lock, reads, every trigger, the
 * command's outcome, the outbox. Started from dist/, because Node can't run decorators.
 */
import { newId, newUuid } from "../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../contracts/message.ts";
import { PlaceHold } from "../../contracts/messages/ledger.ts";
import { PostCommands } from "../../services/ledger/posting/post-commands.consumer.ts";
import { createMessage } from "../../services/platform/messages/message.ts";
import { Metrics } from "../../services/platform/observability/metrics.ts";
import type { Relay } from "../../services/platform/outbox/relay.ts";
import { UnitOfWorkRunner } from "../../services/platform/handlers/unit-of-work.ts";
import { serveParent } from "../worker.ts";
import { openLedgerDatabase } from "./ledger-database.ts";
import type { Book } from "./publisher.ts";

export interface ToRowPoster {
  readonly kind: "run";
  readonly url: string;
  readonly book: Book;
  readonly connections: number;
  readonly seconds: number;
}

export interface FromRowPoster {
  readonly kind: "ran";
  readonly operations: number;
  readonly failure: string | undefined;
}

// The poller of the running ledger publishes the rows that this worker leaves in the outbox.
const leftToThePoller = { publishCommitted: () => undefined } as unknown as Relay;

/** The hold of a Book order, as the publisher sends it: one journal of two entries. */
function hold({ book }: ToRowPoster): AnyMessage {
  const { accountIds } = book;
  const payee = accountIds[1 + Math.floor(Math.random() * (accountIds.length - 1))] ?? "";
  const data = PlaceHold.data.parse({
    commandId: newUuid(),
    tenantId: book.tenantId,
    mode: "Test",
    orderId: newId("po"),
    direction: "Credit",
    amountCents: 100,
    currency: "USD",
    ledgerAccountId: accountIds[0] ?? "",
    contra: { kind: "LedgerAccount", ledgerAccountId: payee },
    effectiveAt: new Date().toISOString(),
  });
  return createMessage(PlaceHold, { book: book.book, subject: newUuid(), data }) as AnyMessage;
}

/** Opened once: a new session plans every statement again for its first dozen journals. */
let units: UnitOfWorkRunner | undefined;

async function run(request: ToRowPoster): Promise<number> {
  units ??= new UnitOfWorkRunner(
    await openLedgerDatabase(request.url, request.connections),
    leftToThePoller,
    1,
    request.connections,
  );
  const own = units;
  const writer = new PostCommands(new Metrics("ledger"));
  const endsAt = performance.now() + request.seconds * 1_000;
  let operations = 0;
  const work = async () => {
    while (performance.now() < endsAt) {
      await own.run(async (unit) => {
        const messages = [hold(request)];
        await writer.onCommands(messages as Parameters<PostCommands["onCommands"]>[0], unit);
      });
      operations += 1;
    }
  };
  await Promise.all(Array.from({ length: request.connections }, work));
  return operations;
}

serveParent<ToRowPoster, FromRowPoster>((message, reply) => {
  run(message).then(
    (operations) => reply({ kind: "ran", operations, failure: undefined }),
    (error: unknown) => reply({ kind: "ran", operations: 0, failure: String(error) }),
  );
});
