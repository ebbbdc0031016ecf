/** `npm run orders -- show`: where one order is, without its payee, description, metadata and reasons. */
import { type BookId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { dollars } from "../../../services/orders/order/dollars.ts";
import type { PaymentOrder, Progress } from "../../../services/orders/order/payment-order.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import { inDatabase } from "../command-line/connections.ts";
import type { Given } from "../command-line/given.ts";
import type { Tool } from "../command-line/tool.ts";
import { inWords, summaryOf } from "../messages/envelope-summary.ts";
import { findOrder, orderIdOf } from "./find-order.ts";
import { timeoutsOfPhase, waitInWords, waitOf, type WaitingRow } from "./waiting.ts";

interface ParkedEvent {
  readonly messageId: string;
  readonly reason: string;
  readonly isDecided: boolean;
  /** Null if the event names none. */
  readonly railReference: Readonly<Record<string, string>> | null;
}

interface OrderRow extends WaitingRow {
  readonly status: PaymentOrder["status"];
  readonly direction: PaymentOrder["terms"]["direction"];
  readonly amount_cents: string;
  readonly progress: Progress;
  readonly created_at: Date;
}

async function show(sql: Sql, given: Given): Promise<void> {
  const id = orderIdOf(given.argument(0));
  const { book, tenant, mode } = await findOrder(sql, id);
  const order = await readOrder(sql, book, id);
  const { status, phase, rail, direction, progress } = order;
  const amountCents = Number(order.amount_cents);
  const createdAt = order.created_at.toISOString();
  const requestId = progress.cause?.correlationid ?? null;
  const summary = {
    id,
    book,
    tenant,
    mode,
    status,
    phase,
    rail,
    direction,
    amountCents,
    createdAt,
    requestId,
  };
  const wait = waitOf(order);
  const movements = movementsOf(progress);
  const history = await readHistory(sql, book, id);
  const unresolved = await readUnresolved(sql, book, id);
  given.print(
    { ...summary, wait, ...movements, history, ...unresolved },
    `${id}  ${status} (${phase})`,
    `  ${direction} of ${dollars(amountCents)} by ${rail}, ${mode}, ${book}, ${tenant}`,
    `  created at ${createdAt}${requestId === null ? "" : ` by ${requestId}`}`,
    ...(wait === null ? [] : [`  ${waitInWords(wait)}`]),
    ...movementLines(movements),
    ...history.map(({ to, at, actor }) => `  ${at}  ${to}  by ${actor}`),
    ...unresolvedLines(unresolved),
  );
}

async function readOrder(sql: Sql, book: BookId, id: PaymentOrderId): Promise<OrderRow> {
  const [order] = await sql<OrderRow>(
    `select phase, status, rail, direction, amount_cents, progress, ${timeoutsOfPhase} as timeouts,
       created_at, updated_at, due_at, due_at_in_book
     from orders.payment_order
     where book_id = $1
       and id = $2`,
    [uuidOf(book), uuidOf(id)],
  );
  if (order === undefined) throw new Error(`there is no payment order ${id}`);
  return order;
}

/** What the rail has reported of the money. */
function movementsOf({ rail, ending }: Progress) {
  return {
    railReference: rail.reference,
    settledAt: rail.settledAt,
    returnCode: rail.return?.code ?? null,
    returnedLate: rail.return?.late ?? false,
    sentBackBy: rail.sentBackBy ?? null,
    unexpectedMovements: rail.unexpectedMovements,
    failureCode: ending.failure?.code ?? null,
  };
}

function movementLines(movements: ReturnType<typeof movementsOf>): string[] {
  const { railReference, settledAt, returnCode, returnedLate, sentBackBy, unexpectedMovements, failureCode } =
    movements;
  return [
    ...Object.entries(railReference ?? {}).map(([kind, value]) => `${kind} ${value}`),
    ...(settledAt === null ? [] : [`settled at ${settledAt}`]),
    ...(returnCode === null ? [] : [`returned ${returnedLate ? "late " : ""}with ${returnCode}`]),
    ...(sentBackBy === null ? [] : [`sent back by its receiver: ${sentBackBy}`]),
    ...unexpectedMovements.map(
      ({ movement, at, returnCode: code, ledgerTransactionId }) =>
        `unexpected ${movement.toLowerCase()}${code === null ? "" : ` with ${code}`} at ${at}: ${ledgerTransactionId}`,
    ),
    ...(failureCode === null ? [] : [`failed with ${failureCode}`]),
  ].map((line) => `  ${line}`);
}

/** Without the reasons: people of the tenant write some of them. */
async function readHistory(sql: Sql, book: BookId, id: PaymentOrderId) {
  const rows = await sql<{ to_status: string; at: Date; actor: string }>(
    `select to_status, at, actor
     from orders.status_change
     where book_id = $1
       and order_id = $2
     order by position`,
    [uuidOf(book), uuidOf(id)],
  );
  return rows.map(({ to_status: to, at, actor }) => ({ to, at: at.toISOString(), actor }));
}

/** The votes on how it ends, and the events that did not change it. */
async function readUnresolved(sql: Sql, book: BookId, id: PaymentOrderId) {
  const key = [uuidOf(book), uuidOf(id)];
  const votes = await sql<{ as: string; by: string; at: Date; evidence: string }>(
    `select outcome as "as", operator as "by", at, evidence
     from orders.resolution_vote
     where book_id = $1
       and order_id = $2
     order by position`,
    key,
  );
  const deferred = await sql<{ event: string }>(
    `select event::text as event
     from orders.deferred_event
     where book_id = $1
       and order_id = $2
     order by received_at, message_id`,
    key,
  );
  const parkedEvents = await sql<ParkedEvent>(
    `select e.message_id as "messageId", e.reason, d.message_id is not null as "isDecided",
       e.event #> '{data,railReference}' as "railReference"
     from orders.parked_event e
     left join orders.parked_event_decision d using (message_id)
     where e.book_id = $1
       and e.order_id = $2
     order by e.parked_at`,
    [uuidOf(book), id],
  );
  return {
    votes: votes.map((vote) => ({ ...vote, at: vote.at.toISOString() })),
    deferredEvents: deferred.map(({ event }) => summaryOf(event)),
    parkedEvents,
  };
}

function unresolvedLines({
  votes,
  deferredEvents,
  parkedEvents,
}: Awaited<ReturnType<typeof readUnresolved>>) {
  return [
    ...votes.map(({ as, by, at, evidence }) => `vote for ${as} by ${by} at ${at}: ${evidence}`),
    ...deferredEvents.map((event) => `deferred: ${inWords(event)}`),
    ...parkedEvents.map(({ messageId, reason, isDecided, railReference }) =>
      [
        `parked${isDecided ? " and decided on" : ""}: ${messageId}  ${reason}`,
        ...Object.entries(railReference ?? {}).map(([kind, value]) => `${kind} ${value}`),
      ].join("  "),
    ),
  ].map((line) => `  ${line}`);
}

export const showCommand: Tool["commands"] = {
  show: {
    about: "show where an order is, what it waits for, and which of its events were not applied",
    takes: ["<order id>"],
    check: (given) => orderIdOf(given.argument(0)),
    run: (given) => inDatabase((sql) => show(sql, given)),
  },
};
