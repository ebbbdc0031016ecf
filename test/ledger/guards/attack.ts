/** What a guard stands against: done with it, the attack is refused by its name; without it, it is not. */
import pg from "pg";

export interface Attack {
  /** Statements, as a superuser. What `refused` names is expected of the last one. */
  readonly statements: readonly string[];
  /** SQLSTATE and constraint; or the message, where several guards share a name. */
  readonly refused: string;
}

/** Triggers and foreign keys of other guards out of the way: constraints and unique indexes stand by themselves. */
export const alone = "set local session_replication_role = replica";

/** A row like one that is there, but for what is named. */
export function copyOf(table: string, changed: object, where = "true"): string {
  return `insert into ${table} overriding system value
    select (jsonb_populate_record(t, '${JSON.stringify(changed)}')).* from ${table} t where ${where} limit 1`;
}

/** Runs the attack in a transaction that is rolled back, and gives how it was refused. */
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
    // A partition's index carries the partition's number behind the name.
    const name = constraint?.replace(/^(journal_(?:one_\w+?|pk)|entry_pk)_\d$/, "$1");
    return name === undefined ? String(code) : `${String(code)} ${name}`;
  } finally {
    await admin.query("rollback");
  }
}
