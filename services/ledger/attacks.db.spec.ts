import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bookIdOf, type LedgerAccountId, newId, newUuid, uuidOf } from "../../contracts/ids.ts";
import { createDatabase, type TestDatabase } from "../../test/stack/database.ts";
import { parseExactly, type Sql } from "../platform/persistence/sql.ts";
import { counted } from "./domain/account.ts";
import { chartAccountId } from "./domain/chart-of-accounts.ts";
import type { Journal, JournalKind, Line } from "./domain/journal.ts";
import { proveBooks } from "./prove-books.ts";
import { holdOf, postingOf, sampleBook, sampleTenant, settlementOf } from "./sample-commands.ts";
import { readAccounts } from "./store/accounts.ts";
import { createBooks } from "./store/books.ts";
import { appendJournals } from "./store/journals.ts";
import { writeJournals } from "./write-journals.ts";

// Whoever speaks SQL to the ledger, the service's own role or a superuser with psql, meets these refusals by name.
const book = sampleBook;
const cash = chartAccountId(book, "SettlementCash");
const otherTenant = newId("ten");
const otherBook = bookIdOf(otherTenant, "Test");
const [payroll, savings, strict, foreign] = [newId("la"), newId("la"), newId("la"), newId("la")];

let database: TestDatabase;
let superuser: pg.Client;
let service: pg.Client;

const sqlOn =
  (client: pg.Client): Sql =>
  async (text, params = []) =>
    (await client.query(text, [...params])).rows as never;

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  parseExactly(client);
  await client.connect();
  await client.query("set search_path = ledger");
  return client;
}

beforeAll(async () => {
  database = await createDatabase("ledger");
  superuser = await connected(database.adminUrl);
  service = await connected(database.urlOf("ledger"));
  const sql = sqlOn(service);
  await createBooks(sql, [
    { book, tenantId: sampleTenant, mode: "Test" },
    { book: otherBook, tenantId: otherTenant, mode: "Test" },
  ]);
  const open = (inBook: typeof book, id: LedgerAccountId, overdraft: string) =>
    sql(
      `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
       values ($1, $2, $3, 'USD', 'Credit', 'Tenant', $4)`,
      [uuidOf(inBook), uuidOf(id), id, overdraft],
    );
  await open(book, payroll, "Allowed");
  await open(book, savings, "Allowed");
  await open(book, strict, "Refused");
  await open(otherBook, foreign, "Allowed");
  await write(postingOf([payroll, "Debit", 1_000], [savings, "Credit", 1_000]));
});
afterAll(async () => {
  await superuser.end();
  await service.end();
  await database.drop();
});

async function write(...commands: Parameters<typeof holdOf>[] | unknown[]): Promise<number> {
  await service.query("begin");
  const outcomes = await writeJournals(
    sqlOn(service),
    commands.map((command) => ({ book, command }) as never),
  );
  await service.query("commit");
  const last = outcomes.at(-1);
  return last?.result === "Appended" ? last.sequence : 0;
}

const line = (
  accountId: LedgerAccountId,
  direction: Line["direction"],
  cents: number,
  more: Partial<Line> = {},
): Line => ({
  accountId,
  direction,
  amountCents: BigInt(cents),
  currency: "USD",
  layer: "Posted",
  role: "Normal",
  ...more,
});
const pending = { layer: "Pending" } as const;
const discharge = { layer: "Pending", role: "Discharge" } as const;

/** A journal with lawful running totals, made without `apply`, which would not make it. */
async function forged(kind: JournalKind, lines: Line[], more: Partial<Journal> = {}): Promise<Journal> {
  const sql = sqlOn(superuser);
  const [head] = await sql<{ last_seq: bigint }>("select last_seq from book_head where book_id = $1", [
    uuidOf(book),
  ]);
  const read = await readAccounts(
    sql,
    lines.map(({ accountId }) => ({ book, id: accountId })),
  );
  const accounts = new Map(read.map(({ account }) => [account.id, account]));
  const entries = lines.map((one, index) => {
    const before = accounts.get(one.accountId) ?? { ...read[0]!.account, id: one.accountId, version: 0 };
    const counters = counted(before.counters, one.layer, one.role, one.direction, one.amountCents);
    accounts.set(one.accountId, { ...before, version: before.version + 1, counters });
    return { ...one, line: index + 1, version: before.version + 1, totals: counters };
  });
  return {
    book,
    sequence: Number(head!.last_seq) + 1,
    kind,
    transactionId: newId("lt"),
    orderId: null,
    commandId: newUuid(),
    resolves: null,
    reverses: null,
    effectiveAt: "2026-03-02T15:00:00.000Z",
    entries,
    ...more,
  };
}

/** Tries it in a transaction up to its commit, and gives SQLSTATE and constraint of the refusal. */
async function refusalOf(client: pg.Client, act: (sql: Sql) => Promise<unknown>): Promise<string> {
  await client.query("begin");
  try {
    await act(sqlOn(client));
    await client.query("commit");
    return "nobody refused it";
  } catch (error) {
    await client.query("rollback");
    const { code, constraint } = error as pg.DatabaseError;
    return constraint === undefined ? String(code) : `${code} ${constraint}`;
  }
}

describe("what is written stays written", () => {
  const permissionDenied = "42501";
  it.each(["journal", "entry", "command", "seal", "book", "account_balance", "class_total", "book_head"])(
    "%s: no update, no delete, no truncate",
    async (table) => {
      for (const attack of [
        `update ${table} set book_id = book_id`,
        `delete from ${table}`,
        `truncate ${table} cascade`,
      ]) {
        expect(await refusalOf(service, (sql) => sql(attack)), attack).toBe(permissionDenied);
        expect(await refusalOf(superuser, (sql) => sql(attack)), attack).toMatch(
          /^LG001 (append_only|derived_by_trigger_only)$/,
        );
      }
    },
  );

  it("account: no delete, no truncate, and never another name or currency", async () => {
    for (const attack of ["delete from account", "truncate account cascade"]) {
      expect(await refusalOf(service, (sql) => sql(attack)), attack).toBe(permissionDenied);
      expect(await refusalOf(superuser, (sql) => sql(attack)), attack).toBe("LG001 append_only");
    }
    for (const change of [
      "name = 'Mine'",
      "currency = 'EUR'",
      "normal_balance = 'Debit'",
      "class = 'Suspense'",
    ]) {
      const attack = `update account set ${change} where account_id = '${uuidOf(payroll)}'`;
      expect(await refusalOf(service, (sql) => sql(attack)), attack).toBe(permissionDenied);
      expect(await refusalOf(superuser, (sql) => sql(attack)), attack).toBe("LG001 account_identity");
    }
  });

  it("partitions: as their parents", async () => {
    for (const attack of ["update entry_0 set line = 1", "delete from journal_3", "truncate entry_5"]) {
      expect(await refusalOf(service, (sql) => sql(attack)), attack).toBe(permissionDenied);
    }
    const { rows } = await superuser.query(
      "select tableoid::regclass::text as entry from entry where book_id = $1 limit 1",
      [uuidOf(book)],
    );
    const partition = (rows[0] as { entry: string }).entry.replace(/^ledger\./, "");
    for (const attack of [
      `update ${partition} set line = 1`,
      `delete from ${partition}`,
      `truncate ${partition}`,
    ]) {
      expect(await refusalOf(superuser, (sql) => sql(attack)), attack).toBe("LG001 append_only");
    }
  });

  it("balances, totals, heads and seals: nobody inserts them by hand", async () => {
    for (const table of ["account_balance", "class_total", "book_head", "seal"]) {
      const attack = `insert into ${table} select * from ${table} limit 1`;
      expect(await refusalOf(service, (sql) => sql(attack)), attack).toBe(permissionDenied);
      expect(await refusalOf(superuser, (sql) => sql(attack)), attack).toBe("LG001 derived_by_trigger_only");
    }
  });
});

const attackers = [
  ["the service's own role", () => service],
  ["a superuser", () => superuser],
] as const;

describe.each(attackers)("%s can't append", (_who, client) => {
  const attack = async (...journals: Journal[]) =>
    refusalOf(client(), (sql) => appendJournals(sql, journals));

  it("a journal that does not balance", async () => {
    expect(await attack(await forged("Post", [line(payroll, "Debit", 5), line(savings, "Credit", 4)]))).toBe(
      "LG005 journal_balances",
    );
  });

  it("a journal that balances across layers only", async () => {
    const lines = [line(payroll, "Debit", 5), line(savings, "Credit", 5, pending)];
    expect(await attack(await forged("Post", lines))).toBe("LG005 journal_balances");
  });

  it("two journals that balance together only", async () => {
    const first = await forged("Post", [line(payroll, "Debit", 5), line(savings, "Credit", 4)]);
    const second = await forged("Post", [line(payroll, "Debit", 4), line(strict, "Credit", 5)], {
      sequence: first.sequence + 1,
    });
    const [payrollEntry, strictEntry] = second.entries;
    const after = { ...payrollEntry!, version: payrollEntry!.version + 1 };
    const totals = counted(first.entries[0]!.totals, "Posted", "Normal", "Debit", 4n);
    expect(await attack(first, { ...second, entries: [{ ...after, totals }, strictEntry!] })).toBe(
      "LG005 journal_balances",
    );
  });

  it("running totals of its own invention", async () => {
    const journal = await forged("Post", [line(payroll, "Debit", 5), line(savings, "Credit", 5)]);
    const [first, second] = journal.entries;
    const richer = {
      ...second!,
      totals: { ...second!.totals, postedCredit: second!.totals.postedCredit + 1n },
    };
    expect(await attack({ ...journal, entries: [first!, richer] })).toBe("LG003 entry_running_totals");
    const skipping = { ...second!, version: second!.version + 1 };
    expect(await attack({ ...journal, entries: [first!, skipping] })).toBe("LG003 entry_running_totals");
  });

  it("an entry that comes late, for a journal that stands", async () => {
    const journal = await forged("Post", [line(payroll, "Debit", 5), line(savings, "Credit", 5)]);
    const late = journal.entries.map((entry) => ({ ...entry, line: entry.line + 2 }));
    expect(await attack({ ...journal, sequence: journal.sequence - 1, entries: late })).toBe(
      "LG002 entry_before_header",
    );
  });

  it("a header without entries", async () => {
    const journal = await forged("Post", [line(payroll, "Debit", 5), line(savings, "Credit", 5)]);
    const header = `insert into journal (book_id, seq, transaction_id, command_id, effective_at, recorded_at, kind,
      line_count, digest) values ($1, $2, $3, $4, now(), clock_timestamp() + interval '1 minute', 'Post', 2, $5)`;
    const values = [uuidOf(book), journal.sequence, newUuid(), newUuid(), Buffer.alloc(32)];
    expect(await refusalOf(client(), (sql) => sql(header, values))).toBe("LG007 journal_lines_complete");
  });

  it("entries without a header: the commit refuses them", async () => {
    const journal = await forged("Post", [line(payroll, "Debit", 5), line(savings, "Credit", 5)]);
    const insertsNoHeader = async (sql: Sql) => {
      const headerless: Sql = async (text, params) =>
        text.includes("insert into journal") ? [] : sql(text, params);
      await appendJournals(headerless, [journal]);
    };
    expect(await refusalOf(client(), insertsNoHeader)).toBe("23503 entry_has_header");
  });

  it("a journal with a line missing", async () => {
    const journal = await forged("Post", [line(payroll, "Debit", 5), line(savings, "Credit", 5)]);
    const [first, second] = journal.entries;
    expect(await attack({ ...journal, entries: [first!, { ...second!, line: 3 }] })).toBe(
      "LG007 journal_lines_complete",
    );
  });

  it("a journal that leaves a gap", async () => {
    const journal = await forged("Post", [line(payroll, "Debit", 5), line(savings, "Credit", 5)]);
    expect(await attack({ ...journal, sequence: journal.sequence + 1 })).toBe(
      "LG006 journal_sequence_gap_free",
    );
  });

  it("a posting to another tenant's account", async () => {
    const journal = await forged("Post", [line(payroll, "Debit", 5), line(foreign, "Credit", 5)]);
    expect(await attack(journal)).toBe("23503 entry_account_currency_fk");
  });

  it("a posting in another currency than the account's", async () => {
    const euros = { currency: "EUR" };
    const journal = await forged("Post", [
      line(payroll, "Debit", 5, euros),
      line(savings, "Credit", 5, euros),
    ]);
    expect(await attack(journal)).toBe("23503 entry_account_currency_fk");
  });

  it("nothing, less than nothing, or more than a safe integer", async () => {
    for (const cents of [0, -5, 9_007_199_254_740_992]) {
      const journal = await forged("Post", [line(payroll, "Debit", cents), line(savings, "Credit", cents)]);
      expect(await attack(journal), String(cents)).toBe("23514 entry_amount_range");
    }
  });

  it("a second hold of one transaction", async () => {
    const order = newId("po");
    await write(holdOf(order, payroll, 5));
    const again = await forged(
      "Hold",
      [line(payroll, "Debit", 5, pending), line(cash, "Credit", 5, pending)],
      {
        transactionId: `lt_${order.slice(3)}`,
        orderId: order,
      },
    );
    expect(await attack(again)).toMatch(/^23505 journal_one_opening_\d$/);
  });

  it("a second settlement, or a release after it, even while another hold is open", async () => {
    const [order, other] = [newId("po"), newId("po")];
    const hold = await write(holdOf(order, payroll, 5));
    await write(settlementOf(order), holdOf(other, payroll, 5));
    const owner = { transactionId: `lt_${order.slice(3)}`, orderId: order, resolves: hold } as const;
    const back = [line(payroll, "Credit", 5, discharge), line(cash, "Debit", 5, discharge)];
    const posted = [line(payroll, "Debit", 5), line(cash, "Credit", 5)];
    const twice = /^23505 journal_one_resolution_\d$/;
    expect(await attack(await forged("Settle", [...back, ...posted], owner))).toMatch(twice);
    expect(await attack(await forged("Release", back, owner))).toMatch(twice);
  });

  it("a release of what is no hold", async () => {
    const posting = postingOf([payroll, "Debit", 5], [savings, "Credit", 5]);
    const sequence = (await write(posting, holdOf(newId("po"), payroll, 5))) - 1;
    const release = await forged(
      "Release",
      [line(payroll, "Credit", 5, discharge), line(cash, "Debit", 5, discharge)],
      { transactionId: posting.transactionId, resolves: sequence },
    );
    expect(await attack(release)).toBe("LG008 journal_resolution_exact");
  });

  it("a release of more, or less, than was held", async () => {
    const order = newId("po");
    const hold = await write(holdOf(newId("po"), payroll, 50), holdOf(order, payroll, 5));
    const owner = { transactionId: `lt_${order.slice(3)}`, orderId: order, resolves: hold } as const;
    for (const cents of [4, 6]) {
      const back = [line(payroll, "Credit", cents, discharge), line(cash, "Debit", cents, discharge)];
      expect(await attack(await forged("Release", back, owner))).toBe("LG008 journal_resolution_exact");
    }
  });

  it("a release of more than all holds together", async () => {
    const order = newId("po");
    const hold = await write(holdOf(order, strict, 1, { direction: "Debit" }));
    const back = [line(strict, "Debit", 9_999, discharge), line(cash, "Credit", 9_999, discharge)];
    const owner = { transactionId: `lt_${order.slice(3)}`, orderId: order, resolves: hold } as const;
    expect(await attack(await forged("Release", back, owner))).toBe("23514 account_balance_released_is_held");
  });

  it("a settlement that pays somebody else", async () => {
    const order = newId("po");
    const hold = await write(holdOf(order, payroll, 5));
    const lines = [
      line(payroll, "Credit", 5, discharge),
      line(cash, "Debit", 5, discharge),
      line(payroll, "Debit", 5),
      line(savings, "Credit", 5),
    ];
    const owner = { transactionId: `lt_${order.slice(3)}`, orderId: order, resolves: hold } as const;
    expect(await attack(await forged("Settle", lines, owner))).toBe("LG008 journal_resolution_exact");
  });

  it("a settlement in another transaction's name", async () => {
    const order = newId("po");
    const hold = await write(holdOf(order, payroll, 5));
    const lines = [
      line(payroll, "Credit", 5, discharge),
      line(cash, "Debit", 5, discharge),
      line(payroll, "Debit", 5),
      line(cash, "Credit", 5),
    ];
    expect(await attack(await forged("Settle", lines, { resolves: hold }))).toBe(
      "LG008 journal_resolution_exact",
    );
  });

  it("a hold that is really a posting", async () => {
    expect(await attack(await forged("Hold", [line(payroll, "Debit", 5), line(cash, "Credit", 5)]))).toBe(
      "LG008 journal_resolution_exact",
    );
  });

  it("a late return of what has not settled", async () => {
    const order = newId("po");
    const hold = await write(holdOf(order, payroll, 5));
    const lines = [line(payroll, "Credit", 5), line(cash, "Debit", 5)];
    const owner = { transactionId: `lt_${order.slice(3)}`, orderId: order, reverses: hold } as const;
    expect(await attack(await forged("LateReturn", lines, owner))).toBe("LG008 journal_resolution_exact");
  });

  it("a hold or posting below the floor of an account that refuses overdraft", async () => {
    const hold = [line(strict, "Debit", 1, pending), line(cash, "Credit", 1, pending)];
    expect(await attack(await forged("Hold", hold))).toBe("LG004 account_floor");
    expect(await attack(await forged("Post", [line(strict, "Debit", 1), line(payroll, "Credit", 1)]))).toBe(
      "LG004 account_floor",
    );
  });

  it("a journal that was recorded before its predecessor", async () => {
    const journal = await forged("Post", [line(payroll, "Debit", 5), line(savings, "Credit", 5)]);
    const backdated = async (sql: Sql) => {
      const early: Sql = (text, params) =>
        sql(
          text.replace(/greatest\(h.recorded_at, clock.reading\)/, "h.recorded_at - interval '1 second'"),
          params,
        );
      await appendJournals(early, [journal]);
    };
    expect(await refusalOf(client(), backdated)).toBe("LG009 journal_recorded_at_rises");
  });

  it("a second outcome of a command", async () => {
    const order = newId("po");
    await write(holdOf(order, payroll, 5));
    const attackIt = "insert into command select * from command where command_id = $1";
    expect(await refusalOf(client(), (sql) => sql(attackIt, [holdOf(order, payroll, 5).commandId]))).toBe(
      "23505 command_pk",
    );
  });
});

it("a superuser who inserts straight into a partition meets the same rules", async () => {
  const journal = await forged("Post", [line(payroll, "Debit", 5), line(savings, "Credit", 4)]);
  const { rows } = await superuser.query(
    "select distinct tableoid::regclass::text as t from entry where book_id = $1",
    [uuidOf(book)],
  );
  const number = /\d$/.exec((rows[0] as { t: string }).t)![0];
  const straight = async (sql: Sql) => {
    const into: Sql = (text, params) =>
      sql(
        text
          .replace("insert into entry ", `insert into entry_${number} `)
          .replace("insert into journal ", `insert into journal_${number} `),
        params,
      );
    await appendJournals(into, [journal]);
  };
  expect(await refusalOf(superuser, straight)).toBe("LG005 journal_balances");
  expect(await refusalOf(service, straight)).toBe("42501");
});

it("after all of these the books prove", async () => {
  await superuser.query("begin");
  const proofs = await proveBooks(sqlOn(superuser));
  await superuser.query("commit");
  expect(proofs.map(({ faults }) => faults)).toEqual([[], []]);
});
