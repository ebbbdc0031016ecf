/** A ledger's database as the service sees it and as a superuser does, without NATS. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll } from "vitest";
import type { BookId, LedgerAccountId } from "../../contracts/ids/ids.ts";
import type { Outcome } from "../../services/ledger/book/book-state.ts";
import type { LedgerCommand } from "../../services/ledger/book/commands.ts";
import type { Violation } from "../../services/ledger/book/violation.ts";
import { proveBooks } from "../../services/ledger/audit/verify-book.ts";
import { sampleBook, sampleEffectiveAt, sampleTenant } from "./commands.ts";
import { postJournals } from "../../services/ledger/posting/post-journals.ts";
import { setTypeParsers, type Sql } from "../../services/platform/persistence/sql.ts";
import { SecretCipher } from "../../services/platform/encryption/secret-cipher.ts";
import { StatementCursor } from "../../services/ledger/accounts/statement-cursor.ts";
import { VirtualAccountNumbers } from "../../services/ledger/virtual-accounts/virtual-account-number.ts";
import { type FreshUnits, openFreshUnits } from "../stack/database/units.ts";
import { type AccountWish, beginBook, ofBook, openAccount } from "./rows/written.ts";

const newKey = () => randomBytes(32).toString("base64");

/** Encrypts account numbers as the bank does, and looks them up: one key for all tests of a file. */
export const someCipher = new SecretCipher(`k1:${newKey()}`);
export const someNumbers = new VirtualAccountNumbers(someCipher, { NUMBER_LOOKUP_KEY: newKey() });
export const someCursor = new StatementCursor({ NUMBER_LOOKUP_KEY: newKey() });

export interface LedgerWorld {
  readonly units: FreshUnits;
  readonly superuser: pg.Client;
  readonly service: pg.Client;
  /** Opens an account, by default a tenant's in the sample book. */
  opens(wish?: AccountWish & { readonly book?: BookId }): Promise<LedgerAccountId>;
  /** Writes commands as one batch; those without a date get the samples'. */
  writes(...commands: LedgerCommand[]): Promise<Outcome[]>;
  /** The same; returns the sequence of the last journal, or 0 if the last command was refused. */
  appends(...commands: LedgerCommand[]): Promise<number>;
  /** The violations that a proof of the book finds. */
  faults(book?: BookId): Promise<readonly Violation[]>;
  close(): Promise<void>;
}

export const sqlOn =
  (client: pg.Client): Sql =>
  async (text, params = []) =>
    (await client.query(text, [...params])).rows as never;

export async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, pipeline: true });
  setTypeParsers(client);
  await client.connect();
  await client.query("set search_path = ledger");
  return client;
}

/** A fresh database with the sample book, or without it. */
export async function openLedger({ hasBook = true } = {}): Promise<LedgerWorld> {
  const units = await openFreshUnits("ledger");
  const superuser = await connected(units.adminUrl);
  const service = await connected(units.url);
  if (hasBook)
    await units.units.run(({ sql }) => beginBook(sql, { book: sampleBook, tenantId: sampleTenant }));
  const writes = (...commands: LedgerCommand[]) => {
    const dated = commands.map((one) =>
      one.effectiveAt === null ? { ...one, effectiveAt: sampleEffectiveAt } : one,
    );
    return units.units.run(({ sql }) => postJournals(sql, ofBook(sampleBook, dated)));
  };
  return {
    units,
    superuser,
    service,
    opens: ({ book = sampleBook, ...wish } = {}) =>
      units.units.run(({ sql }) => openAccount(sql, book, wish)),
    writes,
    async appends(...commands) {
      const last = (await writes(...commands)).at(-1);
      return last?.result === "Appended" ? last.sequence : 0;
    },
    async faults(book = sampleBook) {
      const [proof] = await units.database.transaction(({ sql }) => proveBooks(sql, book));
      return proof?.violations ?? [{ check: "the book is there", detail: book }];
    },
    async close() {
      await superuser.end();
      await service.end();
      await units.close();
    },
  };
}

/** A ledger for all tests of a file: it is closed after the last one. */
export async function openLedgerOfFile(): Promise<LedgerWorld> {
  const ledger = await openLedger();
  afterAll(() => ledger.close());
  return ledger;
}

type Act = string | ((sql: Sql) => Promise<unknown>);

/** Runs it in a transaction and commits; returns SQLSTATE and constraint of the refusal. */
export async function refusalOf(client: pg.Client, act: Act): Promise<string> {
  await client.query("begin");
  try {
    await (typeof act === "string" ? client.query(act) : act(sqlOn(client)));
    await client.query("commit");
    return "nobody refused it";
  } catch (error) {
    await client.query("rollback");
    const { code, constraint } = error as pg.DatabaseError;
    return constraint === undefined ? String(code) : `${code} ${constraint}`;
  }
}
