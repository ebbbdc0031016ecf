/** Publishes full envelopes as the operator, as the load for the rows of ledger and webhooks. */
import { jetstream, type JetStreamClient } from "@nats-io/jetstream";
import { type BookId, newId, newUuid, type TenantId } from "../../contracts/ids/ids.ts";
import { maxEnvelopeMessages } from "../../contracts/message.ts";
import { PlaceHold } from "../../contracts/messages/ledger.ts";
import { OrderStatusChanged } from "../../contracts/messages/orders.ts";
import { connectNats } from "../../services/platform/nats/connection.ts";
import { partitionOf } from "../../services/platform/messages/message.ts";
import { serveParent, sendToParent } from "../worker.ts";

export interface Book {
  readonly book: BookId;
  readonly tenantId: TenantId;
  /** The accounts that journals use; the first is the hot one. */
  readonly accountIds: readonly string[];
}

export type ToPublisher =
  | {
      readonly kind: "connect";
      readonly natsUrl: string;
      readonly password: string;
    }
  /** Keep that many messages unfinished until `halt`, with one envelope to each book in turn. */
  | {
      readonly kind: "flow";
      readonly what: "hot journals" | "uniform journals" | "status changes";
      readonly inFlight: number;
      readonly books: readonly Book[];
    }
  | { readonly kind: "credit"; readonly count: number }
  | { readonly kind: "halt" };

export type FromPublisher =
  | { readonly kind: "connected" }
  | { readonly kind: "halted"; readonly published: number; readonly failures: readonly string[] };

type Flow = Extract<ToPublisher, { kind: "flow" }>;

let js: JetStreamClient | undefined;
let flow: Flow | undefined;
let room = 0;
let published = 0;
let sequence = 0;
let failures: string[] = [];
const underWay = new Set<Promise<void>>();

/** The hold of a Book order: one journal of two entries, from one account to another. */
function hold(what: Flow["what"], book: Book): object {
  const { accountIds } = book;
  const anyAccount = () => accountIds[1 + Math.floor(Math.random() * (accountIds.length - 1))] ?? "";
  const payer = what === "hot journals" ? accountIds[0] : anyAccount();
  let payee = anyAccount();
  while (payee === payer) payee = anyAccount();
  return {
    commandId: newUuid(),
    tenantId: book.tenantId,
    mode: "Test",
    orderId: newId("po"),
    direction: "Credit",
    amountCents: 100,
    currency: "USD",
    ledgerAccountId: payer,
    contra: { kind: "LedgerAccount", ledgerAccountId: payee },
    effectiveAt: new Date().toISOString(),
  };
}

function statusChange(): object {
  return {
    orderId: newId("po"),
    mode: "Test",
    status: "Completed",
    previousStatus: "Processing",
    sequence: 4,
    occurredAt: new Date().toISOString(),
    rail: "Rtp",
    direction: "Credit",
    amountCents: 1_000,
    currency: "USD",
    externalId: null,
  };
}

function envelope({ what, books }: Flow): { subject: string; body: string } {
  const type = what === "status changes" ? OrderStatusChanged : PlaceHold;
  const book = books[sequence++ % books.length];
  if (book === undefined) throw new Error("a flow without a book");
  const messages = Array.from({ length: maxEnvelopeMessages }, () => {
    const id = newUuid();
    const data = what === "status changes" ? statusChange() : hold(what, book);
    return {
      id,
      type: type.type,
      time: new Date().toISOString(),
      book: book.book,
      subject: id,
      correlationid: id,
      data,
    };
  });
  // One partition, as the services are started here.
  return { subject: `${type.subject}.${partitionOf(book.book, 1)}`, body: JSON.stringify({ messages }) };
}

function fill(): void {
  while (js !== undefined && flow !== undefined && room >= maxEnvelopeMessages && failures.length < 10) {
    room -= maxEnvelopeMessages;
    const { subject, body } = envelope(flow);
    const sent: Promise<void> = js.publish(subject, body).then(
      () => {
        published += maxEnvelopeMessages;
        underWay.delete(sent);
      },
      (error: unknown) => {
        failures.push(String(error));
        underWay.delete(sent);
      },
    );
    underWay.add(sent);
  }
}

async function connect(message: Extract<ToPublisher, { kind: "connect" }>): Promise<void> {
  const nats = await connectNats({
    NATS_URL: message.natsUrl,
    NATS_USER: "operator",
    NATS_PASSWORD: message.password,
  });
  js = jetstream(nats);
  sendToParent({ kind: "connected" });
}

serveParent<ToPublisher, FromPublisher>((message, reply) => {
  switch (message.kind) {
    case "connect":
      void connect(message);
      return;
    case "flow":
      flow = message;
      room = message.inFlight;
      published = 0;
      failures = [];
      return fill();
    case "credit":
      room += message.count;
      return fill();
    case "halt":
      flow = undefined;
      void Promise.all(underWay).then(() => reply({ kind: "halted", published, failures }));
  }
});
