import type { BookClock } from "../../../../contracts/book-clock.ts";
import { type BookId, uuidOf } from "../../../../contracts/ids/ids.ts";
import {
  clockColumns,
  clockOf,
  type ClockColumns,
  lateralClock,
} from "../../../platform/clock/book-clocks.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** A book's clock as rails-simulator set it last. */
export interface ClockSetting {
  /** Undefined for a book whose clock was never set. */
  readonly clock: BookClock | undefined;
  /** The number of its last change; 0 before the first. */
  readonly sequence: number;
  readonly seed: string | undefined;
}

/** Until the end of the transaction, no other one sets or advances this book's clock. */
export async function lockClock(sql: Sql, book: BookId): Promise<void> {
  await sql("select pg_advisory_xact_lock(hashtextextended('clock/' || $1::uuid, 0))", [uuidOf(book)]);
}

export async function readSetting(sql: Sql, book: BookId): Promise<ClockSetting> {
  const [row] = await sql<ClockColumns & { sequence: number | null; seed: string | null }>(
    `select ${clockColumns}, b.sequence, s.seed
     from (select $1::uuid as book_id) k
     ${lateralClock("k.book_id")}
     left join book_clock b on b.book_id = k.book_id
     left join simulation_seed s on s.book_id = k.book_id`,
    [uuidOf(book)],
  );
  return {
    clock: row === undefined ? undefined : clockOf(row),
    sequence: row?.sequence ?? 0,
    seed: row?.seed ?? undefined,
  };
}

export async function saveSeed(sql: Sql, book: BookId, seed: string): Promise<void> {
  await sql(
    `insert into simulation_seed (book_id, seed)
     values ($1, $2)
     on conflict on constraint simulation_seed_pkey do update
       set seed = excluded.seed`,
    [uuidOf(book), seed],
  );
}
