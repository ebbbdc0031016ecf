import pino, { type Logger } from "pino";

/** Members that are never logged, at any depth. */
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

/** Postgres puts row values into `detail` and `where`: only what identifies the error is logged, never the data. */
function errorWithoutData(error: Error): object {
  const { code, constraint, table } = error as Error & Record<string, unknown>;
  return { type: error.name, message: error.message, code, constraint, table, stack: error.stack };
}

/** Stops at this depth, because an object can contain itself. */
const maxDepth = 12;

/** Copies plain objects and arrays without secrets, and errors without data. Other values are returned as they are. */
function withoutSecrets(value: unknown, depth = 0): unknown {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof Error) return errorWithoutData(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  if (!isPlain && !Array.isArray(value)) return value;
  if (depth === maxDepth) return "[deeper]";
  if (Array.isArray(value)) return value.map((member) => withoutSecrets(member, depth + 1));
  // A spread, because assigning __proto__ to {} would set the prototype and lose the member.
  const copy: Record<string, unknown> = { ...value };
  for (const name of Object.keys(copy)) {
    copy[name] = secrets.has(name) ? censor : withoutSecrets(copy[name], depth + 1);
  }
  return copy;
}

/** Only the bindings of a child logger still hold errors; elsewhere they are plain objects already. */
function serializeError(error: unknown): unknown {
  if (error instanceof Error) return errorWithoutData(error);
  return typeof error === "string" ? { message: error } : error;
}

const maxLineDelayMs = 100;

/**
 * One system call per line costs 20 µs and wakes the reader each time, so lines are written together: every 8 KiB or
 * 100 ms, at a fatal line, and at the end of the process. Only `kill -9` loses lines, at most 100 ms of them. pino's
 * `periodicFlush` is not used, because it also writes when there is no line: ten system calls a second at rest.
 */
function standardOutput(): pino.DestinationStream & { flushSync(): void } {
  const output = pino.destination({ dest: 1, sync: false, minLength: 8 * 1024 });
  let nextFlush: NodeJS.Timeout | undefined;
  return {
    write(line) {
      output.write(line);
      nextFlush ??= setTimeout(() => {
        nextFlush = undefined;
        output.flush();
      }, maxLineDelayMs).unref();
    },
    flushSync: () => output.flushSync(),
  };
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
  // A child's bindings bypass `formatters.log`. Grandchildren inherit this override. (pino's own redaction with
  // wildcards costs 60 µs per line, whatever the line contains.)
  const child = Reflect.get(logger, "child") as Logger["child"];
  logger.child = function (this: Logger, bindings, childOptions) {
    return child.call(this, withoutSecrets(bindings) as pino.Bindings, childOptions);
  } as typeof child;
  return logger;
}
