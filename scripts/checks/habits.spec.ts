import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkClocks } from "./clocks.ts";
import { checkCommentWidth } from "./comments.ts";
import { checkConnections } from "./connections.ts";
import { show } from "./source.ts";
import { checkSql } from "./sql.ts";
import { checkWords, retiredWords } from "./words.ts";

const servicesWithBooks = ["ledger", "orders", "webhooks", "rails-simulator"];
const services = [...servicesWithBooks, "api-gateway"];
const capabilities = JSON.parse(
  readFileSync(new URL("./capabilities.json", import.meta.url), "utf8"),
) as Record<string, readonly string[]>;

describe.each(services)("SQL in services/%s", (service) => {
  const handler = `services/${service}/accounts/close-account.handler.ts`;
  const statements = [
    "`select a.name\n   from account a`",
    '"select last_seq, head from book_head where book_id = $1"',
    '"select close_account($1)"',
    "`\n  insert into account (name) values ($1)`",
    '"update account set name = $1"',
    "`update ${table} t set name = $1`",
    '"delete from account"',
    "`with closed as (select 1) select 2`",
    '"lock table account"',
    '"set local lock_timeout = 100"',
  ];

  it.each(statements)("is refused in a handler: %s", (statement) => {
    const [finding] = checkSql([{ path: handler, text: `const one = 1;\nrun(${statement});` }]).map(show);
    expect(finding).toMatch(/close-account\.handler\.ts:\d+: SQL outside store\/: move the statement/);
  });

  it("is accepted in store/ and in specs", () => {
    const text = `run("select name from account");`;
    const paths = [
      `services/${service}/accounts/store/names.ts`,
      `services/${service}/accounts/names.db.spec.ts`,
    ];
    expect(checkSql(paths.map((path) => ({ path, text })))).toEqual([]);
  });

  it("is not found in ordinary text", () => {
    const texts = [
      `"with another payment it is refused"`,
      `"select a rail"`,
      `"update the order"`,
      "`delete`",
    ];
    expect(checkSql(texts.map((text) => ({ path: handler, text })))).toEqual([]);
  });
});

it("SQL is accepted in the platform", () => {
  const path = "services/platform/outbox/outbox.ts";
  expect(checkSql([{ path, text: '"select 1 from outbox"' }])).toEqual([]);
});

describe.each(services)("a handler in services/%s", (service) => {
  const found = (text: string, file = "close-account.handler.ts") =>
    checkConnections([{ path: `services/${service}/accounts/${file}`, text }]).map(show);

  it.each([
    "return this.#units.run((unit) => close(unit));",
    "await units.run(async ({ sql }) => close(sql));",
    "await this.#database.transaction(({ sql }) => close(sql));",
  ])("that takes a connection without its book is refused: %s", (text) => {
    expect(found(`const one = 1;\n${text}`)).toEqual([
      `services/${service}/accounts/close-account.handler.ts:2: a transaction without its book in a handler: use runFor`,
    ]);
  });

  it("with runFor is accepted, and so is a worker, which has no caller", () => {
    expect(found("return this.#units.runFor(context.caller.book, close);")).toEqual([]);
    expect(found("return this.#units.run(close);", "close-accounts.worker.ts")).toEqual([]);
  });
});

describe("the time in code of a book", () => {
  const found = (text: string, path = "services/orders/order/transition.ts") =>
    checkClocks([{ path, text: `const one = 1;\n${text}` }]).map(show);

  it.each(["updatedAt: new Date(),", "const since = Date.now();"])(
    "is not that of the process: %s is refused",
    (text) => {
      expect(found(text)).toEqual([
        expect.stringMatching(/^services\/orders\/order\/transition\.ts:2: whose time\?/) as string,
      ]);
    },
  );

  const folders = servicesWithBooks.flatMap((service) => [
    service,
    ...(capabilities[service] ?? []).map((folder) => `${service}/${folder}`),
  ]);
  it.each(folders)("is refused in %s", (folder) => {
    const path = `services/${folder}/store/one.ts`;
    expect(found("at: new Date(),", path)).toEqual([expect.stringContaining(`${path}:2: whose time?`)]);
  });

  it("may be another's, or real time by name, and specs and the platform may read any clock", () => {
    expect(found("const at = new Date(text); const record = realTime();")).toEqual([]);
    expect(found("Date.now()", "services/orders/order/transition.spec.ts")).toEqual([]);
    expect(found("new Date()", "services/platform/clock/real-time.ts")).toEqual([]);
  });
});

it("one handler is exempt from runFor, and exists", () => {
  const path = "services/ledger/audit/freeze-book.handler.ts";
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  expect(text).toContain("units.run(");
  expect(checkConnections([{ path, text }])).toEqual([]);
});

describe("a retired word", () => {
  const shown = (text: string, path = "services/ledger/posting/one.ts") =>
    checkWords([{ path, text }]).map(show);

  it("is refused with its line and the term to use", () => {
    expect(shown("const one = 1;\n// This fact is hopeless.")).toEqual([
      'services/ledger/posting/one.ts:2: "fact" is not a word of this repository: use message, event or command',
      'services/ledger/posting/one.ts:2: "hopeless" is not a word of this repository: use permanent (PermanentError)',
    ]);
  });

  it.each([
    "const anyFact = 1;",
    "rpc.ask(GetOrder)",
    "create table early_fact ();",
    "type FactType = string;",
    "# Facts",
    "entriesOfStrays(order)",
    "const strayId = 1;",
  ])("is found inside an identifier or a title: %s", (text) => expect(shown(text)).not.toEqual([]));

  it("is not found inside another word", () => {
    expect(shown("const factory = artefact();")).toEqual([]);
  });

  it("is accepted as a name of the API", () => {
    expect(shown("order.strayMovements.map(viewOfStrayMovement)")).toEqual([]);
  });

  it("is accepted in released documents", () => {
    expect(shown('{ "description": "a fact" }', "contracts/openapi/released/v1.json")).toEqual([]);
  });

  it("has a term to use instead", () => {
    expect(retiredWords.filter(({ use }) => use === "")).toEqual([]);
  });
});

describe("a comment", () => {
  const at = (text: string, path = "services/ledger/one.ts") => checkCommentWidth([{ path, text }]).map(show);

  it("of 121 columns is refused with its line", () => {
    expect(at(`const one = 1;\n// ${"x".repeat(118)}`)).toEqual([
      "services/ledger/one.ts:2: a comment of 121 columns: break it at 120",
    ]);
  });

  it.each([
    ["a comment of 120 columns", `// ${"x".repeat(117)}`, "services/ledger/one.ts"],
    ["a long line of code", `const text = "${"x".repeat(200)}";`, "services/ledger/one.ts"],
    ["the generated schema", `-- ${"x".repeat(200)}`, "services/ledger/store/schema.sql"],
  ])("is in order: %s", (_case, text, path) => {
    expect(at(text, path)).toEqual([]);
  });

  it("in SQL is checked too", () => {
    expect(at(`-- ${"x".repeat(118)}`, "services/ledger/store/migrations/0001-books.sql")).toHaveLength(1);
  });
});
