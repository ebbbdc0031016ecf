import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from "@nestjs/common";
import type { Logger } from "pino";
import { bankingDayOverBy, endOfDate } from "../../contracts/banking-calendar.ts";
import { type Unit, Units } from "../platform/messaging/unit.ts";
import { Database } from "../platform/persistence/database.ts";
import { LOG } from "../platform/platform.module.ts";
import { DueLoop } from "../platform/process/due-loop.ts";
import { Reconcile } from "./reconcile.ts";
import { lockReconciliation } from "./store/bank-statements.ts";
import { booksWithout } from "./store/missing-statements.ts";

const everyMs = 60_000;
/** In New York. Statements come from six o'clock on. */
const missedFromHour = 10;

/**
 * At ten in New York, books whose money moved on the last banking day and whose statement has not come get a run that
 * says so. It comes by itself when the statement does; this one stays.
 */
@Injectable()
export class MissStatements implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #units: Units;
  readonly #database: Database;
  readonly #reconcile: Reconcile;
  readonly #loop: DueLoop;
  #saidThrough = "";

  constructor(
    @Inject(Units) units: Units,
    @Inject(Database) database: Database,
    @Inject(Reconcile) reconcile: Reconcile,
    @Inject(LOG) log: Logger,
  ) {
    this.#units = units;
    this.#database = database;
    this.#reconcile = reconcile;
    this.#loop = new DueLoop("miss-statements", everyMs, () => this.turn(new Date()), log);
  }

  onApplicationBootstrap(): void {
    this.#loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.#loop.stop();
  }

  /** Looks once a day; gives how many books miss their statement. */
  async turn(at: Date): Promise<number> {
    const day = bankingDayOverBy(at, missedFromHour);
    if (day <= this.#saidThrough) return 0;
    const books = await booksWithout(this.#database.sql, day, endOfDate(day));
    for (const book of books) {
      await this.#units.run(async (unit: Unit) => {
        await lockReconciliation(unit.sql, book);
        // The statement may have come, or another instance may have said it, while this one waited for the lock.
        const [still] = await booksWithout(unit.sql, day, endOfDate(day), book);
        if (still !== undefined) await this.#reconcile.miss(unit, book, day);
      });
    }
    this.#saidThrough = day;
    return books.length;
  }
}
