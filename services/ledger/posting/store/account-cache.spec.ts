import { expect, it } from "vitest";
import { type BookId, bookIdOf, type LedgerAccountId, newId } from "../../../../contracts/ids/ids.ts";
import { type Account, zeroCounters } from "../../book/account.ts";
import type { Book } from "../../book/book-state.ts";
import { AccountCache } from "./account-cache.ts";

const account = (version: number, id = newId("la")): Account => ({
  id,
  name: "Payroll",
  currency: "USD",
  normalBalance: "Credit",
  class: "Tenant",
  overdraft: "Refused",
  closed: false,
  version,
  counters: zeroCounters,
});
const someBook = (): BookId => bookIdOf(newId("ten"), "Test");

/** A book that a batch has brought to a sequence. */
const after = (id: BookId, lastSequence: number, accounts: readonly Account[]): Book => ({
  id,
  lastSequence,
  now: new Date(),
  calendar: null,
  accounts: new Map(accounts.map((one) => [one.id, one])),
  transactions: new Map(),
  obligations: new Map(),
  outcomes: new Map(),
});
const head = (lastSequence: number, accountChanges = 0) => ({ lastSequence, accountChanges });
const versions = (accounts: ReadonlyMap<LedgerAccountId, Account>) =>
  [...accounts.values()].map(({ version }) => version);

it("has the accounts of a book whose head is as its own commit left it", () => {
  const [cache, book] = [new AccountCache(), someBook()];
  cache.update([after(book, 7, [account(3)])], new Map([[book, head(5)]]));
  expect(versions(cache.get(book, head(7)))).toEqual([3]);
  expect(versions(cache.get(someBook(), head(7)))).toEqual([]);
});

it.each([
  { name: "somebody else appended a journal", now: head(8) },
  { name: "an account was changed", now: head(7, 1) },
  { name: "the database was set back", now: head(5) },
])("knows nothing when $name", ({ now }) => {
  const [cache, book] = [new AccountCache(), someBook()];
  cache.update([after(book, 7, [account(3)])], new Map([[book, head(5)]]));
  expect(versions(cache.get(book, now))).toEqual([]);
});

it("adds the accounts of each of its batches", () => {
  const [cache, book] = [new AccountCache(), someBook()];
  const [hot, cold] = [newId("la"), newId("la")];
  cache.update([after(book, 7, [account(3, hot), account(1, cold)])], new Map([[book, head(5)]]));
  cache.update([after(book, 9, [account(5, hot)])], new Map([[book, head(7)]]));
  expect(versions(cache.get(book, head(9)))).toEqual([5, 1]);
});

it("drops a book's accounts if another writer wrote between two of its batches", () => {
  const [cache, book] = [new AccountCache(), someBook()];
  cache.update([after(book, 7, [account(3)])], new Map([[book, head(5)]]));
  cache.update([after(book, 20, [account(6)])], new Map([[book, head(15)]]));
  expect(versions(cache.get(book, head(20)))).toEqual([6]);
});

it("drops everything when it is cleared", () => {
  const [cache, book] = [new AccountCache(), someBook()];
  cache.update([after(book, 7, [account(3)])], new Map([[book, head(5)]]));
  cache.clear();
  expect(versions(cache.get(book, head(7)))).toEqual([]);
});

it("drops the book written to longest ago when there are too many accounts", () => {
  const cache = new AccountCache();
  const [old, middle, fresh] = [someBook(), someBook(), someBook()];
  const many = () => Array.from({ length: 20_000 }, () => account(1));
  for (const book of [old, middle]) cache.update([after(book, 1, many())], new Map([[book, head(0)]]));
  cache.update([after(old, 2, [])], new Map([[old, head(1)]]));
  cache.update([after(fresh, 1, many())], new Map([[fresh, head(0)]]));
  expect([old, middle, fresh].map((book) => cache.get(book, head(book === old ? 2 : 1)).size)).toEqual([
    20_000, 0, 20_000,
  ]);
});
