/** A handler uses `runFor`, so that the requests of one book can't keep all connections of a service. */
import { type Finding, linesOf, type Source } from "./source.ts";

/** Handlers that do not need the limit. */
const exceptions = new Set([
  // An operator's freeze does not wait for the requests of the book that it stops.
  "services/ledger/audit/freeze-book.handler.ts",
  // The requests of a book share one transaction at a time, so the book has one connection.
  "services/ledger/transactions/create-transaction.handler.ts",
]);

/** Units of work of handlers without their book. */
export function checkConnections(sources: readonly Source[]): Finding[] {
  return sources
    .filter(({ path }) => path.endsWith(".handler.ts") && !exceptions.has(path))
    .flatMap((source) =>
      linesOf(source).flatMap(({ line, text }) =>
        /units\.run\(/.test(text)
          ? [
              {
                path: source.path,
                line,
                message: "units.run in a handler: use runFor with the caller's book",
              },
            ]
          : [],
      ),
    );
}
