import type { EntityManager } from "@mikro-orm/postgresql";

/**
 * Runs one statement with `$1` placeholders and returns its rows. int8 comes as `bigint`, timestamptz as `Date`,
 * jsonb parsed. Throws the driver's error, whose `code` is the SQLSTATE and `constraint` the constraint's name.
 */
export type Sql = <R extends object = Record<string, unknown>>(
  text: string,
  params?: readonly unknown[],
) => Promise<R[]>;

/** The statements of one transaction. */
export interface Transaction {
  readonly sql: Sql;
  /**
   * Adds statements whose results nobody needs before the commit. They are sent with it; if one fails, the transaction
   * fails with its error. Await nothing afterwards that could fail with another error.
   */
  readonly withCommit: (sent: Promise<unknown>) => void;
  /** The entities of this transaction. A getter: an EntityManager is made at its first use, so don't spread it. */
  readonly em: EntityManager;
}

const oid = { int8: 20, int8Array: 1016, timestamptz: 1184 };

interface DriverClient {
  setTypeParser(oid: number, parse: (text: string) => unknown): void;
}

/** By default the driver returns int8 as text. */
export function setTypeParsers(client: DriverClient): void {
  client.setTypeParser(oid.int8, (text) => BigInt(text));
  client.setTypeParser(oid.int8Array, (text) =>
    text === "{}" ? [] : text.slice(1, -1).split(",").map(BigInt),
  );
  client.setTypeParser(oid.timestamptz, (text) => new Date(text));
}

/**
 * The prefix of a statement that has many shapes, such as a list with filters. It is planned each time, for its values,
 * so that connections don't keep a prepared plan for every combination of filters.
 */
export const planEachTime = "/* planned anew */";

type Query = (text: unknown, values?: unknown, ...rest: unknown[]) => unknown;

const statementNames = new Map<string, string>();

function nameOf(text: string): string {
  const known = statementNames.get(text);
  if (known !== undefined) return known;
  const name = `s${String(statementNames.size + 1)}`;
  statementNames.set(text, name);
  return name;
}

/** Lets the transaction use generic plans, which are kept, instead of planning for its values. */
export const useGenericPlans = "set local plan_cache_mode = force_generic_plan";
const everyTransaction = new Set(["begin", useGenericPlans, "commit"]);

/** The name under which a connection keeps the statement prepared; empty for one that it must not keep. */
export function statementNameOf(text: string, values: readonly unknown[]): string {
  // A statement without parameters may have its values in its text. There would be endless texts, so only those of
  // every transaction are kept.
  const isKept = values.length > 0 ? !text.startsWith(planEachTime) : everyTransaction.has(text);
  return isKept ? nameOf(text) : "";
}

/**
 * Makes Postgres parse and plan each statement once per connection instead of once per call, by giving it a name: the
 * driver prepares named statements. (Postgres' CPU per order: 2.3 → 1.9 ms, two runs of `make bench` on a busy
 * machine.) Statements of a transaction get their names in statements/statement-batch.ts.
 */
export function prepareOnce(client: { query: Query }): void {
  const query = client.query.bind(client);
  client.query = (text, values, ...rest) => {
    const name = typeof text === "string" && Array.isArray(values) ? statementNameOf(text, values) : "";
    return name === "" ? query(text, values, ...rest) : query({ name, text, values }, ...rest);
  };
}

/**
 * A text after all those that begin with the prefix, in the order of their UTF-8 bytes (collation "C"): U+10FFFF is no
 * character, so no name has it.
 */
export const afterPrefix = (prefix: string): string => `${prefix}\u{10FFFF}`;
