import { setImmediate } from "node:timers/promises";
import type { Sql } from "./sql.ts";

type Statement<T> = (sql: Sql) => Promise<T>;

/**
 * Sends the statements of one transaction together, without waiting for answers in between, and returns their results.
 * Postgres runs them in this order. A statement therefore sees what the ones before it locked or wrote. If one
 * fails, those after it fail too, and the transaction rolls back.
 *
 * Each argument must send its statement when it is called, before it awaits anything. See docs/sql.md.
 */
export function pipeline<const T extends readonly unknown[]>(
  sql: Sql,
  ...statements: { readonly [K in keyof T]: Statement<T[K]> }
): Promise<T> {
  return Promise.all(statements.map((statement) => statement(sql))) as unknown as Promise<T>;
}

/**
 * Resolves once the statements so far have been sent: Postgres runs them while Node prepares the next ones, which then
 * make a round trip of their own. Give the promises of those so far a handler before: they may fail in between.
 */
export async function sendNow(): Promise<void> {
  await setImmediate();
}
