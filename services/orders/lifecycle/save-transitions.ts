import type { Cause } from "../../platform/messages/message.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { addCommand } from "./compose-commands.ts";
import type { EndedOrders } from "./ended-orders.ts";
import { publishStatusChange } from "./publish-status.ts";
import type { Transition } from "../order/transition.ts";
import { updateUsage } from "../store/daily-usage.ts";
import { insertHistory, insertOrders, saveOrders } from "../store/payment-orders.ts";

/** A transition with the message or request that caused it. */
export interface CausedTransition {
  readonly transition: Transition;
  readonly cause?: Cause | undefined;
}

/**
 * Saves what a batch of transitions produced, with one statement per table, and puts their messages into the outbox.
 * Nothing is awaited before the commit.
 */
export function saveTransitions(
  unit: UnitOfWork,
  transitions: readonly CausedTransition[],
  ended: EndedOrders,
): void {
  unit.withCommit(saveOrders(unit.sql, ordersOf(transitions)));
  unit.withCommit(saveHistoryAndUsage(unit, transitions));
  publish(unit, transitions);
  ended.logAfterCommit(
    unit,
    transitions.map(({ transition }) => transition),
  );
}

/** The same for orders that do not exist yet. */
export function insertTransitions(unit: UnitOfWork, transitions: readonly CausedTransition[]): void {
  unit.withCommit(insertOrders(unit.sql, ordersOf(transitions)));
  unit.withCommit(saveHistoryAndUsage(unit, transitions));
  publish(unit, transitions);
}

function ordersOf(transitions: readonly CausedTransition[]) {
  return transitions.map(({ transition }) => transition.order);
}

/** Appends the status history, and updates the daily usage of the books. */
async function saveHistoryAndUsage(
  { sql }: UnitOfWork,
  transitions: readonly CausedTransition[],
): Promise<void> {
  const changes = transitions.flatMap(({ transition: { order, history } }) =>
    history.map((change) => ({ order, change })),
  );
  const moves = transitions.flatMap(({ transition }) => transition.usage);
  await Promise.all([insertHistory(sql, changes), updateUsage(sql, moves)]);
}

function publish({ outbox }: UnitOfWork, transitions: readonly CausedTransition[]): void {
  for (const { transition, cause } of transitions) {
    // A command is composed from the order as it is saved, so one of each name is enough.
    for (const command of new Set(transition.commands)) addCommand(outbox, command, transition.order, cause);
    for (const change of transition.events) publishStatusChange(outbox, change, cause);
  }
}
