/** Code of a book takes the time from the book's clock, or says that it means real time (`realTime`). */
import { type Finding, isSpec, linesOf, type Source } from "./source.ts";

/**
 * What acts in books. The platform has the clocks themselves, and the gateway has only keys, sessions and rate limits,
 * which have real time.
 */
const inBooks = ["ledger", "orders", "rails-simulator", "webhooks"].map((service) => `services/${service}/`);

const currentTime = /\bnew Date\(\)|\bDate\.now\(\)/;

/** Readings of the process's clock in code of books. */
export function checkClocks(sources: readonly Source[]): Finding[] {
  return sources
    .filter(
      ({ path }) => path.endsWith(".ts") && !isSpec(path) && inBooks.some((part) => path.startsWith(part)),
    )
    .flatMap((source) =>
      linesOf(source)
        .filter(({ text }) => currentTime.test(text))
        .map(({ line }) => ({
          path: source.path,
          line,
          message:
            "whose time? Use the book's (now of BookContext, readTimeIn), or realTime() for records, leases and keys",
        })),
    );
}
