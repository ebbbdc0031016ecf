/** An attack that a guard refuses: with the guard it fails under the guard's name, without the guard it does not. */
import pg from "pg";
import { guardsOff } from "../../stack/database/guards-off.ts";

export interface Attack {
  /** Statements, run as a superuser. The last one must fail as `refused` says. */
  readonly statements: readonly string[];
  /** SQLSTATE and constraint, or the message if several guards share a name. */
  readonly refused: string;
}

/** Disables triggers and foreign keys, so that each constraint and unique index is tested by itself. */
export const alone = guardsOff("ledger");

/** The statement that inserts a copy of an existing row with other values in the named columns. */
export function copyOf(table: string, changed: object, where = "true"): string {
  return `insert into ${table} overriding system value
    select (jsonb_populate_record(t, '${JSON.stringify(changed)}')).* from ${table} t where ${where} limit 1`;
}

/** Runs the attack in a transaction that is rolled back, and returns how it was refused. */
export async function resultOf(admin: pg.Client, attack: Attack, without?: string): Promise<string> {
  await admin.query("begin");
  try {
    if (without !== undefined) await admin.query(without);
    for (const statement of attack.statements) {
      const { rowCount, command } = await admin.query(statement);
      if (rowCount === 0 && command !== "SELECT") return `no row: ${statement}`;
    }
    await admin.query("set constraints all immediate");
    return "nobody refused it";
  } catch (error) {
    const { code, constraint, message } = error as pg.DatabaseError;
    if (attack.refused === message) return message;
    // The name of a partition's index ends with the partition's number.
    const name = constraint?.replace(/^(journal_(?:one_\w+?|pk)|entry_pk)_\d$/, "$1");
    return name === undefined ? String(code) : `${String(code)} ${name}`;
  } finally {
    await admin.query("rollback");
  }
}
