/** Compares the tables of five services, the streams and the tenant's receiver with the plan. */
import { expect } from "vitest";
import type { LedgerAccount } from "../../../contracts/http/ledger/ledger-accounts.ts";
import { idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { services } from "../../../contracts/message.ts";
import { patienceMs, until } from "../../stack/until.ts";
import type { OwnWorld } from "../../world/system/own-world.ts";
import type { Backend } from "../load/backend.ts";
import {
  expectedAssets,
  expectedBankLines,
  expectedEventCount,
  expectedEvents,
  expectedInstructions,
  expectedJournals,
  expectedPosted,
} from "./expected.ts";
import type { PlannedOrder } from "../load/plan.ts";
import { proveBooks } from "./prove.ts";
import { deadLetters } from "../inject/streams.ts";
import { traceLostMessages } from "../inject/lost-messages.ts";

/**
 * Waits until the receiver has as many distinct events as the plan, then proves everything. Returns how many orders it
 * proved; throws at the first difference from the plan.
 */
export async function provenOrders(
  world: OwnWorld,
  orders: readonly PlannedOrder[],
  backend: Backend,
  withinMs = patienceMs,
): Promise<number> {
  await waitForAllEvents(world, orders, withinMs).catch(async (error: unknown) => {
    // The order that differs says more than the number of missing events.
    await proveOrders(world, orders, backend);
    throw error;
  });
  await proveOrders(world, orders, backend);
  await proveBalances(world, orders);
  await proveJournals(world, orders);
  await proveBank(world, orders);
  await proveBooks(world);
  expect(await leftovers(world)).toEqual([]);
  expect(await deadLetters(world)).toEqual([]);
  expect(exitedInstances(world)).toEqual([]);
  return orders.length;
}

async function waitForAllEvents(
  world: OwnWorld,
  orders: readonly PlannedOrder[],
  withinMs: number,
): Promise<void> {
  const expected = expectedEventCount(orders);
  const distinct = () => new Set(world.receiver.deliveries.map(({ id }) => id)).size;
  await until(
    `all ${String(expected)} events`,
    () => (distinct() >= expected ? true : undefined),
    withinMs,
  ).catch(async (error: unknown) => {
    throw new Error(`${String(error)}: received ${String(distinct())}; ${await traceLostMessages(world)}`);
  });
}

/** One order per key, with exactly the expected events: none missing, none repeated. */
async function proveOrders(
  world: OwnWorld,
  orders: readonly PlannedOrder[],
  backend: Backend,
): Promise<void> {
  const stored = await world.rows<{ id: string; key: string }>(
    "select id::text as id, external_id as key from orders.payment_order where external_id = any($1)",
    [orders.map(({ key }) => key)],
  );
  expect(stored.length).toBe(orders.length);
  const idOfKey = new Map(stored.map(({ id, key }) => [key, idOf("po", id)]));
  const received = eventsByOrder(world);
  const answered = orders.map(({ key }) => ({ key, ids: [...(backend.orderIds.get(key) ?? [])] }));
  expect(answered).toEqual(orders.map(({ key }) => ({ key, ids: [idOfKey.get(key)] })));
  const events = orders.map(({ key }) => ({ key, events: received.get(idOfKey.get(key) ?? "") }));
  expect(events).toEqual(orders.map((order) => ({ key: order.key, events: expectedEvents(order) })));
}

function eventsByOrder(world: OwnWorld): Map<string, string[]> {
  const different = new Map(world.receiver.deliveries.map((event) => [event.id, event]));
  const events = new Map<string, string[]>();
  for (const { type, data } of [...different.values()].sort((a, b) => a.data.sequence - b.data.sequence)) {
    events.set(data.id, [...(events.get(data.id) ?? []), `${String(data.sequence)} ${type}`]);
  }
  return events;
}

/** Through the API for the tenant's accounts, from the table for system accounts. */
async function proveBalances(world: OwnWorld, orders: readonly PlannedOrder[]): Promise<void> {
  for (const [id, posted] of expectedPosted(orders)) {
    const { body } = await world.get<LedgerAccount>(`/v1/ledger-accounts/${id}`);
    expect({
      id,
      posted: body.postedBalanceCents,
      pending: body.pendingBalanceCents,
      pendingInbound: body.pendingInboundCents,
      available: body.availableBalanceCents,
    }).toEqual({ id, posted, pending: 0, pendingInbound: 0, available: posted });
  }
  const assets = await world.rows<{ class: string; cents: string; held: string }>(
    `select a.class::text as class,
       (b.posted_debit - b.posted_credit)::text as cents,
       (b.held_debit - b.released_debit + b.held_credit - b.released_credit)::text as held
     from ledger.account_balance b
     join ledger.account a using (book_id, account_id)
     where b.book_id = $1
       and a.class in ('SettlementCash', 'StablecoinWallet')
     order by a.class::text`,
    [bookUuid(world)],
  );
  const { SettlementCash, StablecoinWallet } = expectedAssets(orders);
  expect(assets).toEqual([
    { class: "SettlementCash", cents: String(SettlementCash), held: "0" },
    { class: "StablecoinWallet", cents: String(StablecoinWallet), held: "0" },
  ]);
}

/** One hold per order, at most one end of it, and nothing else in the book. */
async function proveJournals(world: OwnWorld, orders: readonly PlannedOrder[]): Promise<void> {
  const rows = await world.rows<{ key: string; kinds: string[]; transactions: number }>(
    `select o.external_id as key,
       array_agg(j.kind::text order by j.seq) as kinds,
       count(distinct j.transaction_id)::int as transactions
     from ledger.journal j
     left join orders.payment_order o on o.id = j.order_id and o.book_id = j.book_id
     where j.book_id = $1
     group by o.external_id`,
    [bookUuid(world)],
  );
  const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1);
  const wanted = orders
    .filter((order) => expectedJournals(order).length > 0)
    .map((order) => ({ key: order.key, kinds: [...expectedJournals(order)], transactions: 1 }));
  expect(rows.sort(byKey)).toEqual(wanted.sort(byKey));
}

/** The bank's own book: no payment reached the bank twice, and none is missing. */
async function proveBank(world: OwnWorld, orders: readonly PlannedOrder[]): Promise<void> {
  const lines = await world.rows<{ key: string; lines: string[] }>(
    `select o.external_id as key,
       array_agg(m.kind || ' ' || m.side || ' ' || m.amount_cents order by m.number) as lines
     from rails.bank_movement m
     left join orders.payment_order o on o.id = m.order_id and o.book_id = m.book_id
     group by o.external_id`,
  );
  const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1);
  const wanted = orders.map((order) => ({ key: order.key, lines: expectedBankLines(order) }));
  expect(lines.sort(byKey)).toEqual(wanted.filter((order) => order.lines.length > 0).sort(byKey));
  const [instructions] = await world.rows<{ count: number }>(
    "select count(*)::int as count from rails.instruction",
  );
  expect(instructions?.count).toBe(expectedInstructions(orders));
}

/** Rows that must not be left: failed, set-aside, deferred, parked and unpublished messages, open deliveries. */
async function leftovers(world: OwnWorld): Promise<unknown[]> {
  const queries = [
    ...services.flatMap((service) => [
      `select '${service}.failed_message' as source, type || ': ' || last_error as what from ${service}.failed_message`,
      `select '${service}.set_aside_message' as source, subject as what from ${service}.set_aside_message`,
      `select '${service}.outbox' as source, subject as what from ${service}.outbox where published_at is null`,
    ]),
    "select 'orders.deferred_event' as source, event::text as what from orders.deferred_event",
    "select 'orders.parked_event' as source, reason as what from orders.parked_event",
    "select 'orders.payment_order' as source, phase as what from orders.payment_order where due_at is not null",
    "select 'webhooks.delivery' as source, status as what from webhooks.delivery where status <> 'Delivered'",
  ];
  let found: unknown[] = [];
  // A delivery that a killed instance had leased waits for the lease to end.
  await until("nothing left over", async () => {
    found = await world.rows(queries.map((query) => `(${query} limit 3)`).join(" union all "));
    return found.length === 0 ? true : undefined;
  }).catch(() => undefined); // the caller gets the rows
  return found;
}

/** Processes that ended although nobody stopped them. */
function exitedInstances(world: OwnWorld): string[] {
  return world.instances
    .filter(({ child }) => !isAlive(child.pid))
    .map(({ service, child }) => `${service} ended:\n${child.lastLines().slice(-10).join("\n")}`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // no such process
  }
}

function bookUuid(world: OwnWorld): string {
  return uuidOf(world.tenant.tenant.testBook as `book_${string}`);
}
