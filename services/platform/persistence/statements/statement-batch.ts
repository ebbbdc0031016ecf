import pg from "pg";
import { serialize } from "pg-protocol";
import { asError } from "../../as-error.ts";
import { statementNameOf } from "../sql.ts";

/** The rows of one statement, how many it changed, and its command tag's first word. */
export interface StatementResult {
  readonly rows: unknown[];
  readonly rowCount: number | null;
  readonly command: string;
}

type WireValue = string | Buffer | null;

export interface Statement {
  /** What the connection keeps the parsed statement under; empty to parse it each time. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly WireValue[];
  readonly resolve: (result: StatementResult) => void;
  readonly reject: (error: unknown) => void;
}

/** The driver's connection, as far as its types lack it. */
interface Wire {
  readonly stream: { readonly writable: boolean; cork(): void; uncork(): void; write(bytes: Buffer): void };
  /** Texts by the name of the statement: those that Postgres has parsed, and those whose answer is due. */
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  sync(): void;
}

/** The columns of a statement's rows as Postgres describes them; none for a statement without rows. */
type Columns = readonly unknown[];

/**
 * The columns of the statements that a connection keeps parsed, by name. Postgres refuses to run one whose columns have
 * changed since, so they are asked for once.
 */
const knownColumns = new WeakMap<Wire, Map<string, Columns>>();

function columnsKnownOf(wire: Wire): Map<string, Columns> {
  const known = knownColumns.get(wire) ?? new Map<string, Columns>();
  knownColumns.set(wire, known);
  return known;
}

/** A connection of the driver's pool, as far as it is used here. */
export interface PooledConnection {
  query(batch: StatementBatch): unknown;
  query(text: string): Promise<unknown>;
  getTypeParser(oid: number, format?: string): (text: string) => unknown;
  release(destroy?: boolean): void;
}

type TypeParsers = Pick<PooledConnection, "getTypeParser">;

interface DriverResult extends StatementResult {
  readonly fields: Columns;
  addFields(fields: Columns): void;
  parseRow(fields: unknown): unknown;
  addRow(row: unknown): void;
  addCommandComplete(message: unknown): void;
}

const { Result, utils } = pg as unknown as {
  readonly Result: new (rowMode: undefined, types: TypeParsers) => DriverResult;
  readonly utils: { prepareValue(value: unknown): WireValue };
};

/**
 * Several statements as one message to Postgres with one Sync at its end: one write, one answer. If one fails, Postgres
 * skips all that follow it up to the Sync. So nothing runs behind a `begin` that is refused, and no `commit` behind a
 * statement that failed.
 *
 * The driver calls `submit` and the `handle…` methods (its interface Submittable), and reads `name`, `text` and
 * `query_timeout`.
 */
export class StatementBatch {
  readonly #statements: readonly Statement[];
  readonly #types: TypeParsers;
  readonly #onEnd: (failure: Error | undefined) => void;
  #hasEnded = false;
  /**
   * How long the driver waits for the answer, in milliseconds, before it breaks the connection; 0: as long as the
   * connection's own `query_timeout`.
   */
  readonly query_timeout: number;
  /** Called at the end. The driver replaces it with a function that stops its timer. */
  callback: () => void = () => undefined;
  /** Those that this batch has Postgres parse and keep. */
  readonly #parsed = new Set<Statement>();
  /** The columns of those that Postgres is not asked to describe. */
  readonly #columns = new Map<Statement, Columns>();
  #known: Map<string, Columns> = new Map();
  readonly #results: DriverResult[] = [];
  readonly #unreadable = new Map<DriverResult, unknown>();
  #current: DriverResult;
  /** False if the connection was broken before. */
  wasSent = false;

  /** `onEnd` is called once, after the promises of all statements have been settled. */
  constructor(
    statements: readonly Statement[],
    types: TypeParsers,
    onEnd: (failure: Error | undefined) => void,
    answerWithinMs = 0,
  ) {
    this.#statements = statements;
    this.#types = types;
    this.#onEnd = onEnd;
    this.query_timeout = answerWithinMs;
    this.#current = new Result(undefined, types);
  }

  submit(wire: Wire): Error | null {
    this.wasSent = true;
    this.#known = columnsKnownOf(wire);
    wire.stream.cork();
    try {
      const bytes = Buffer.concat(this.#statements.flatMap((statement) => this.#messagesOf(statement, wire)));
      if (wire.stream.writable) wire.stream.write(bytes);
      wire.sync();
      this.#startResult();
      return null;
    } catch (error) {
      return asError(error);
    } finally {
      wire.stream.uncork();
    }
  }

  #messagesOf(statement: Statement, wire: Wire): Buffer[] {
    const { name, text, values } = statement;
    const { parsedStatements: parsed, submittedNamedStatements: submitted } = wire;
    const isKept = parsed[name] !== undefined || submitted[name] !== undefined;
    const messages = isKept ? [] : [serialize.parse({ name, text })];
    if (name !== "" && !isKept) {
      submitted[name] = text;
      this.#parsed.add(statement);
    }
    messages.push(serialize.bind({ statement: name, values: [...values] }));
    const columns = isKept ? this.#known.get(name) : undefined;
    if (columns === undefined) messages.push(serialize.describe({ type: "P" }));
    else this.#columns.set(statement, columns);
    messages.push(serialize.execute());
    return messages;
  }

  /** The result of the statement that is answered next. */
  #startResult(): void {
    this.#current = new Result(undefined, this.#types);
    const statement = this.#statements[this.#results.length];
    const columns = statement === undefined ? undefined : this.#columns.get(statement);
    if (columns !== undefined && columns.length > 0) this.#current.addFields(columns);
  }

  /** The driver notes this name as parsed with the next ParseComplete, and forgets it with an error. */
  get name(): string | undefined {
    return this.#parsing?.name;
  }
  get text(): string | undefined {
    return this.#parsing?.text;
  }

  /** The statement that is answered now, if this batch has it parsed: another may have sent it for parsing. */
  get #parsing(): Statement | undefined {
    const statement = this.#statements[this.#results.length];
    return statement !== undefined && this.#parsed.has(statement) ? statement : undefined;
  }

  handleRowDescription({ fields }: { readonly fields: Columns }): void {
    this.#current.addFields(fields);
  }

  handleDataRow({ fields }: { readonly fields: unknown }): void {
    try {
      this.#current.addRow(this.#current.parseRow(fields));
    } catch (error) {
      this.#unreadable.set(this.#current, error);
    }
  }

  handleCommandComplete(message: unknown): void {
    this.#current.addCommandComplete(message);
    this.#endStatement();
  }

  /** A statement without a command has no CommandComplete. */
  handleEmptyQuery(): void {
    this.#endStatement();
  }

  #endStatement(): void {
    const statement = this.#statements[this.#results.length];
    if (statement !== undefined && statement.name !== "")
      this.#known.set(statement.name, this.#current.fields);
    this.#results.push(this.#current);
    this.#startResult();
  }

  handleReadyForQuery(): void {
    this.#settleAnswered();
    this.#end(undefined);
  }

  /** The statement that is answered now failed, or the connection broke. Those behind it did not run. */
  handleError(thrown: unknown, wire: Wire): void {
    if (this.#hasEnded) return; // a connection that was broken because no answer came
    const error = asError(thrown);
    this.#settleAnswered();
    for (const statement of this.#statements.slice(this.#results.length)) {
      // Postgres has skipped the parsing too.
      if (this.#parsed.has(statement)) delete wire.submittedNamedStatements[statement.name];
      statement.reject(error);
    }
    this.#end(error);
  }

  #end(failure: Error | undefined): void {
    this.#hasEnded = true;
    this.callback();
    this.#onEnd(failure);
  }

  #settleAnswered(): void {
    for (const [index, result] of this.#results.entries()) {
      const statement = this.#statements[index];
      if (this.#unreadable.has(result)) statement?.reject(this.#unreadable.get(result));
      else statement?.resolve(result);
    }
  }
}

/** Throws for a value without a text: it must not fail in the middle of writing a batch. */
export function statementOf(
  text: string,
  params: readonly unknown[],
  answer: Pick<Statement, "resolve" | "reject">,
): Statement {
  const values = params.map((value) => utils.prepareValue(value));
  return { name: statementNameOf(text, params), text, values, ...answer };
}
