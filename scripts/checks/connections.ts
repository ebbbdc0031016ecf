/** A handler uses `runFor`, so that the requests of a few books can't keep all connections of a service. */
import { type Finding, linesOf, type Source } from "./source.ts";

/** Handlers without the limit: an operator's freeze does not wait for the requests of the book that it stops. */
const exceptions = new Set(["services/ledger/audit/freeze-book.handler.ts"]);

const withoutBook = /(?:units\.run|database\.transaction)\(/;

/** Units of work of handlers without their book. */
export function checkConnections(sources: readonly Source[]): Finding[] {
  return sources
    .filter(({ path }) => path.endsWith(".handler.ts") && !exceptions.has(path))
    .flatMap((source) =>
      linesOf(source).flatMap(({ line, text }) =>
        withoutBook.test(text)
          ? [
              {
                path: source.path,
                line,
                message: "a transaction without its book in a handler: use runFor",
              },
            ]
          : [],
      ),
    );
}
