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
];
const redactPaths = [
  'req.headers["x-api-key"]',
  "req.headers.authorization",
  ...secretMembers.flatMap((member) => [member, `*.${member}`, `*.*.${member}`, `*.*.*.${member}`]),
];

/** Postgres puts the row's values into `detail` and `where`: a log keeps what names the fault, not the data. */
function errorWithoutData(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, constraint, table } = error as Error & Record<string, unknown>;
  return { type: error.name, message: error.message, code, constraint, table, stack: error.stack };
}

export function createLogger(service: string, level: string, destination?: pino.DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: redactPaths, censor: "[redacted]" },
    serializers: { err: errorWithoutData },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
