import pino, { type Logger } from "pino";

/** Members that never reach a log, however deep the caller put them. */
const secretMembers = [
  "counterpartyAccountNumber",
  "accountNumber",
  "signingSecret",
  "secret",
  "password",
  "ciphertext",
  "apiKey",
  "x-api-key",
  "authorization",
];
const secrets: ReadonlySet<string> = new Set(secretMembers);
const censor = "[redacted]";

/** Postgres puts the row's values into `detail` and `where`: a log keeps what names the fault, not the data. */
function errorWithoutData(error: Error): object {
  const { code, constraint, table } = error as Error & Record<string, unknown>;
  return { type: error.name, message: error.message, code, constraint, table, stack: error.stack };
}

/** What points at itself has no end. */
const maxDepth = 12;

/** A copy of plain objects and lists without secrets, and with errors as they may be shown. The rest stays itself. */
function withoutSecrets(value: unknown, depth = 0): unknown {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Error) return errorWithoutData(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  if (!isPlain && !Array.isArray(value)) return value;
  if (depth === maxDepth) return "[deeper]";
  if (Array.isArray(value)) return value.map((member) => withoutSecrets(member, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      secrets.has(name) ? censor : withoutSecrets(member, depth + 1),
    ]),
  );
}

/** By the time it is serialized an error is plain already, but in a child's bindings. */
function serializeError(error: unknown): unknown {
  if (error instanceof Error) return errorWithoutData(error);
  return typeof error === "string" ? { message: error } : error;
}

/**
 * A system call per line is 20 µs of ours and wakes whoever reads it; 8 KiB or 100 ms of lines share one. A fatal line
 * and the end of the process flush. What only `kill -9` loses is a tenth of a second of lines, never of work.
 */
function standardOutput(): pino.DestinationStream {
  return pino.destination({ dest: 1, sync: false, minLength: 8 * 1024, periodicFlush: 100 });
}

export function createLogger(service: string, level: string, destination?: pino.DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label) => ({ level: label }),
      log: (line) => withoutSecrets(line) as Record<string, unknown>,
    },
    serializers: { err: serializeError },
  };
  const logger = pino(options, destination ?? standardOutput());
  // A child's bindings bypass `formatters.log`. Its children inherit this. (pino's own redaction with wildcards costs
  // 60 µs a line, whatever stands in it.)
  const child = Reflect.get(logger, "child") as Logger["child"];
  logger.child = function (this: Logger, bindings, childOptions) {
    return child.call(this, withoutSecrets(bindings) as pino.Bindings, childOptions);
  } as typeof child;
  return logger;
}
