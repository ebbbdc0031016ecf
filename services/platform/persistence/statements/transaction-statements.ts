import {
  type PooledConnection,
  type Statement,
  StatementBatch,
  statementOf,
  type StatementResult,
} from "./statement-batch.ts";

/** A statement that the transaction begins with, and its values. */
export type OpeningStatement = readonly [text: string, params?: readonly unknown[]];

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
  readonly #answerWithinMs: () => number;
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

  /**
   * `opening` is asked at the first statement. If it throws, that statement is not sent, and throws the same. Without
   * an answer for `answerWithinMs` the connection is broken; 0 for the connection's own limit.
   */
  constructor(
    connection: PooledConnection,
    opening: () => readonly OpeningStatement[],
    answerWithinMs: () => number = () => 0,
  ) {
    this.#connection = connection;
    this.#opening = opening;
    this.#answerWithinMs = answerWithinMs;
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
    const batch = new StatementBatch(statements, this.#connection, onEnd, this.#answerWithinMs());
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
