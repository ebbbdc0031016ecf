import { newYorkDate } from "../../contracts/rails/banking-calendar.ts";
import { until } from "./until.ts";

/** More than a file takes that sums what happens on one day. */
const fileMs = 300_000;

/** Waits until midnight in New York is far enough away, for a file that sums what happens on one day. */
export async function farFromMidnight(): Promise<void> {
  await until(
    "a date that stays the same",
    () => newYorkDate(new Date()) === newYorkDate(new Date(Date.now() + fileMs)),
    2 * fileMs,
  );
}
