import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { createLogger } from "./logger.ts";

const accountNumber = "4111222233334444";
const secret = "whsec_hush";

/** The lines that a service would write. */
function written(log: (logger: ReturnType<typeof createLogger>) => void): { text: string; lines: object[] } {
  let text = "";
  log(createLogger("orders", "info", { write: (line: string) => void (text += line) }));
  const lines = text.trim().split("\n").filter(Boolean);
  return { text, lines: lines.map((line) => JSON.parse(line) as object) };
}

/** A database error as the driver throws it, with the row's values in it. */
function uniqueViolation(): Error {
  return Object.assign(new Error("duplicate key value violates unique constraint"), {
    name: "error",
    code: "23505",
    constraint: "payment_order_pkey",
    table: "payment_order",
    detail: `Key (number)=(${accountNumber}) already exists.`,
    where: `COPY payment_order, line 1: "${accountNumber}"`,
    parameters: [accountNumber],
  });
}

describe("a log line", () => {
  it("has the service, the time and the level", () => {
    const { lines } = written((log) => log.warn({ orderId: "po_1" }, "stuck"));
    expect(lines).toMatchObject([{ level: "warn", service: "orders", orderId: "po_1", msg: "stuck" }]);
    expect(lines[0]).toMatchObject({ time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) });
  });

  it.each([
    "counterpartyAccountNumber",
    "accountNumber",
    "ciphertext",
    "signingSecret",
    "secret",
    "password",
    "apiKey",
  ])("never shows a %s, at any depth", (member) => {
    const hidden = { [member]: accountNumber, kept: "kept" };
    const { text } = written((log) => {
      log.info(hidden);
      log.info({ body: hidden });
      log.info({ a: { b: { c: { d: { e: { f: hidden } } } } } });
      log.info({ messages: [{ data: hidden }, [hidden]] });
      log.child({ body: { more: hidden } }).info("of a child");
    });
    expect(text).not.toContain(accountNumber);
    expect(text.match(/kept/g)).toHaveLength(2 * 6);
    expect(text.match(/\[redacted\]/g)).toHaveLength(6);
  });

  it("never shows an API key from a header", () => {
    const { text } = written((log) => {
      const headers = { "x-api-key": secret, authorization: secret, accept: "kept" };
      log.info({ req: { method: "POST", headers } });
      log.child({ req: { headers } }).info("request");
    });
    expect(text).not.toContain(secret);
    expect(text).toContain("kept");
  });

  it("can contain an object that refers to itself", () => {
    const loop: Record<string, unknown> = { name: "loop" };
    loop["self"] = loop;
    const { lines } = written((log) => log.info({ loop }));
    expect(lines).toMatchObject([{ loop: { name: "loop" } }]);
  });

  it("contains a member named __proto__, without its secrets", () => {
    const body: unknown = JSON.parse(`{"__proto__":{"secret":"${secret}","kept":1},"name":"body"}`);
    const { text } = written((log) => log.info({ body }));
    expect(text).toContain('"body":{"__proto__":{"secret":"[redacted]","kept":1},"name":"body"}');
  });

  it("leaves the logged object as it is", () => {
    const body = { secret, deeper: { secret } };
    written((log) => log.info(body));
    expect(body).toEqual({ secret, deeper: { secret } });
  });

  it("leaves objects that are not plain to pino's serializers", () => {
    const { lines } = written((log) => log.info({ at: new Date("2026-03-04T17:00:00.000Z"), none: null }));
    expect(lines).toMatchObject([{ at: "2026-03-04T17:00:00.000Z", none: null }]);
  });
});

describe("an error in the log", () => {
  it("shows its code and constraint, without the row's values", () => {
    const { text, lines } = written((log) => log.error({ err: uniqueViolation() }, "failed"));
    expect(lines).toMatchObject([
      { err: { code: "23505", constraint: "payment_order_pkey", table: "payment_order" } },
    ]);
    expect(text).toContain("duplicate key value");
    expect(text).not.toContain(accountNumber);
  });

  it.each([
    ["logged bare", (error: Error) => error],
    ["under another name", (error: Error) => ({ reason: error })],
    [
      "deep in something else",
      (error: Error) => ({ outcome: { results: [{ status: "rejected", reason: error }] } }),
    ],
    ["of a child logger", (error: Error) => ({ err: error })],
  ])("shows no account number when it is %s", (_how, wrap) => {
    const { text } = written((log) =>
      log.child({ loop: "relay" }).error(wrap(uniqueViolation()) as object, "failed"),
    );
    expect(text).toContain("23505");
    expect(text).not.toContain(accountNumber);
  });

  it("that is not an Error is written as text", () => {
    const { lines } = written((log) => log.error({ err: "the database is away" }));
    expect(lines).toMatchObject([{ err: { message: "the database is away" } }]);
  });
});

describe("standard output", () => {
  /** A process that logs what its standard input says. */
  const program = `
    import { createLogger } from ${JSON.stringify(new URL("logger.ts", import.meta.url).href)};
    const log = createLogger("orders", "info");
    process.stdin.on("data", (data) => log.info(String(data)));`;
  const logging = () => spawn(process.execPath, ["--input-type=module", "--eval", program]);

  it("gets each line soon, while the process goes on", async () => {
    const { stdin, stdout } = logging();
    for (const text of ["first", "second"]) {
      stdin.write(text);
      const [lines] = (await once(stdout, "data")) as [Buffer];
      expect(JSON.parse(String(lines))).toMatchObject({ service: "orders", msg: text });
    }
    stdin.end();
  });

  it("gets the last line of a process that ends", async () => {
    const { stdin, stdout } = logging();
    stdin.end("last");
    const [lines] = (await once(stdout, "data")) as [Buffer];
    expect(JSON.parse(String(lines))).toMatchObject({ msg: "last" });
  });
});
