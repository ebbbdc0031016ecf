/** A ledger's database as the service sees it and as a superuser does, without NATS. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { type BookId, type LedgerAccountId, newId, uuidOf } from "../../contracts/ids/ids.ts";
import type { Outcome } from "../../services/ledger/book/book-state.ts";
import type { LedgerCommand } from "../../services/ledger/book/commands.ts";
import type { Violation } from "../../services/ledger/book/violation.ts";
import { proveBooks } from "../../services/ledger/audit/verify-book.ts";
import { sampleBook, sampleEffectiveAt, sampleTenant } from "./commands.ts";
import { postJournals } from "../../services/ledger/posting/post-journals.ts";
import { parseExactly, type Sql } from "../../services/platform/persistence/sql.ts";
import { AccountNumberCipher } from "../../services/platform/encryption/account-number-cipher.ts";
import { VirtualAccountNumbers } from "../../services/ledger/virtual-accounts/virtual-account-number.ts";
import { openFreshUnits, type TestUnits } from "../stack/units.ts";
import { beginBook } from "./written.ts";

const newKey = () => randomBytes(32).toString("base64");

/** Encrypts account numbers as the bank does, and looks them up: one key for all tests of a file. */
export const someSeals = new AccountNumberCipher(`k1:${newKey()}`);
export const someNumbers = new VirtualAccountNumbers(someSeals, { NUMBER_LOOKUP_KEY: newKey() });

export interface AccountWish {
  readonly id?: LedgerAccountId;
  readonly book?: BookId;
  readonly overdraft?: "Allowed" | "Refused";
  readonly normalBalance?: "Credit" | "Debit";
}

export interface LedgerWorld {
  /** As the service connects. */
  readonly url: string;
  readonly units: TestUnits;
  readonly superuser: pg.Client;
  readonly service: pg.Client;
  /** Opens a tenant's account, by default in the sample book. */
  opens(wish?: AccountWish): Promise<LedgerAccountId>;
  /** Writes commands as one batch; those without a date get the samples'. */
  writes(...commands: LedgerCommand[]): Promise<Outcome[]>;
  /** The violations that a proof of the book finds. */
  faults(book?: BookId): Promise<readonly Violation[]>;
  close(): Promise<void>;
}

export const sqlOn =
  (client: pg.Client): Sql =>
  async (text, params = []) =>
    (await client.query(text, [...params])).rows as never;

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, pipeline: true });
  parseExactly(client);
  await client.connect();
  await client.query("set search_path = ledger");
  return client;
}

/** A fresh database with the sample book. */
export async function openLedger(): Promise<LedgerWorld> {
  const units = await openFreshUnits("ledger");
  const superuser = await connected(units.adminUrl);
  const service = await connected(units.url);
  await units.units.run(({ sql }) => beginBook(sql, { book: sampleBook, tenantId: sampleTenant }));
  return {
    url: units.url,
    units,
    superuser,
    service,
    async opens({
      id = newId("la"),
      book = sampleBook,
      overdraft = "Allowed",
      normalBalance = "Credit",
    } = {}) {
      await units.units.run(({ sql }) =>
        sql(
          `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
           values ($1, $2, $3, 'USD', $4, 'Tenant', $5)`,
          [uuidOf(book), uuidOf(id), id, normalBalance, overdraft],
        ),
      );
      return id;
    },
    writes: (...commands) =>
      units.units.run(({ sql }) =>
        postJournals(
          sql,
          commands.map((command) => ({
            book: sampleBook,
            command: command.effectiveAt === null ? { ...command, effectiveAt: sampleEffectiveAt } : command,
          })),
        ),
      ),
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

/** Runs it in a transaction and commits; returns SQLSTATE and constraint of the refusal. */
export async function refusalOf(client: pg.Client, act: (sql: Sql) => Promise<unknown>): Promise<string> {
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
