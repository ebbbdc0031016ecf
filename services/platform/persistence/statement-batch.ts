import pg from "pg";
import { serialize } from "pg-protocol";
import { asError } from "../as-error.ts";
import { statementNameOf } from "./sql.ts";

/** The rows of one statement, how many it changed, and its command tag's first word. */
export interface StatementResult {
  readonly rows: unknown[];
  readonly rowCount: number | null;
  readonly command: string;
}

type WireValue = string | Buffer | null;

/** A statement that the transaction begins with, and its values. */
export type OpeningStatement = readonly [text: string, params?: readonly unknown[]];

interface Statement {
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
 * The driver calls `submit` and the `handle…` methods (its interface Submittable), and reads `name` and `text`.
 */
class StatementBatch {
  readonly #statements: readonly Statement[];
  readonly #types: TypeParsers;
  readonly #onEnd: (failure: Error | undefined) => void;
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
  ) {
    this.#statements = statements;
    this.#types = types;
    this.#onEnd = onEnd;
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
    this.handleEmptyQuery();
  }

  /** A statement without a command has no CommandComplete. */
  handleEmptyQuery(): void {
    const statement = this.#statements[this.#results.length];
    if (statement !== undefined && statement.name !== "")
      this.#known.set(statement.name, this.#current.fields);
    this.#results.push(this.#current);
    this.#startResult();
  }

  handleReadyForQuery(): void {
    this.#settleAnswered();
    this.#onEnd(undefined);
  }

  /** The statement that is answered now failed, or the connection broke. Those behind it did not run. */
  handleError(thrown: unknown, wire: Wire): void {
    const error = asError(thrown);
    this.#settleAnswered();
    for (const statement of this.#statements.slice(this.#results.length)) {
      // Postgres has skipped the parsing too.
      if (this.#parsed.has(statement)) delete wire.submittedNamedStatements[statement.name];
      statement.reject(error);
    }
    this.#onEnd(error);
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
function statementOf(
  text: string,
  params: readonly unknown[],
  answer: Pick<Statement, "resolve" | "reject">,
): Statement {
  const values = params.map((value) => utils.prepareValue(value));
  return { name: statementNameOf(text, params), text, values, ...answer };
}

const nobody = { resolve: () => undefined, reject: () => undefined };

const endedError = "a statement was sent after the end of its transaction";

/**
 * The statements of one transaction. Those that are sent in one turn of the event loop are one batch; `opening` is sent
 * with the first. What is sent while a batch is under way waits for its answer. Once a batch has failed, nothing more
 * is sent, so no statement can run outside the transaction.
 */
export class TransactionStatements {
  readonly #connection: PooledConnection;
  readonly #opening: () => readonly OpeningStatement[];
  #waiting: Statement[] = [];
  #hasBegun = false;
  #isScheduled = false;
  #isUnderWay = false;
  /** Why no further statement is taken. */
  #refusal: Error | undefined;
  /** The error of the first statement that failed. */
  failure: Error | undefined;
  #isCommitting = false;
  #lastBatch: StatementBatch | undefined;
  #traced: unknown;

  /** `opening` is asked at the first statement. If it throws, that statement is not sent, and throws the same. */
  constructor(connection: PooledConnection, opening: () => readonly OpeningStatement[]) {
    this.#connection = connection;
    this.#opening = opening;
  }

  /** Throws the error of the first statement that failed, in place of all errors that follow from it. */
  async send(text: string, params: readonly unknown[] = []): Promise<StatementResult> {
    if (this.#refusal !== undefined) throw this.#refusal;
    try {
      return await new Promise((resolve, reject) => {
        if (!this.#hasBegun && this.#waiting.length === 0) {
          this.#waiting = this.#opening().map(([opening, values = []]) =>
            statementOf(opening, values, nobody),
          );
        }
        this.#waiting.push(statementOf(text, params, { resolve, reject }));
        this.#schedule();
      });
    } catch (error) {
      // The first to hear of the failure sent the statement that failed: the stack leads to it.
      if (error instanceof Error && error !== this.#traced) Error.captureStackTrace(error);
      this.#traced = error;
      throw error;
    }
  }

  /** True once the commit was sent. */
  get mayHaveCommitted(): boolean {
    return this.#lastBatch?.wasSent === true;
  }

  /** Sends the commit with all that waits. Takes no further statement. */
  commit(): Promise<unknown> {
    this.#isCommitting = true;
    const committed = this.send("commit");
    this.#refusal ??= new Error(endedError);
    return committed;
  }

  /** Sends nothing further, rolls back what was sent, and returns the connection to the pool. Never throws. */
  async rollBack(): Promise<void> {
    this.#stop(new Error(endedError));
    try {
      if (this.#hasBegun) await this.#connection.query("rollback");
      this.#connection.release();
    } catch {
      this.#connection.release(true); // a connection that can't roll back is broken
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isUnderWay) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      if (this.#waiting.length > 0) this.#sendWaiting();
    });
  }

  #sendWaiting(): void {
    const statements = this.#waiting;
    this.#waiting = [];
    this.#hasBegun = true;
    this.#isUnderWay = true;
    const onEnd = (failure: Error | undefined) => {
      this.#isUnderWay = false;
      this.failure ??= failure;
      if (failure !== undefined) this.#stop(failure);
      else if (this.#waiting.length > 0) this.#schedule();
    };
    const batch = new StatementBatch(statements, this.#connection, onEnd);
    if (this.#isCommitting) this.#lastBatch = batch;
    this.#connection.query(batch);
  }

  #stop(error: Error): void {
    this.#refusal ??= error;
    const unsent = this.#waiting;
    this.#waiting = [];
    for (const { reject } of unsent) reject(error);
  }
}
