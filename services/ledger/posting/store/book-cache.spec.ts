import { expect, it } from "vitest";
import { type BookId, bookIdOf, newId } from "../../../../contracts/ids/ids.ts";
import { type Account, zeroCounters } from "../../book/account.ts";
import type { Book, Transaction } from "../../book/book-state.ts";
import { BookCache, type CachedBook } from "./book-cache.ts";

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
const after = (
  id: BookId,
  lastSequence: number,
  accounts: readonly Account[],
  transactions: readonly Transaction[] = [],
): Book => ({
  id,
  lastSequence,
  now: new Date(),
  calendar: null,
  accounts: new Map(accounts.map((one) => [one.id, one])),
  transactions: new Map(transactions.map((one) => [one.id, one])),
  obligations: new Map(),
  outcomes: new Map(),
});
const hold = (more: Partial<Transaction> = {}): Transaction => ({
  id: newId("lt"),
  orderId: newId("po"),
  opening: { sequence: 1, kind: "Hold", lines: [] },
  resolution: null,
  reversal: null,
  manual: null,
  ...more,
});
const head = (lastSequence: number, accountChanges = 0) => ({ lastSequence, accountChanges });
const versions = (cached: CachedBook | undefined) =>
  [...(cached?.accounts.values() ?? [])].map(({ version }) => version);
const holdsOf = (cached: CachedBook | undefined) => [...(cached?.openHolds.keys() ?? [])];

it("has the accounts of a book whose head is as its own commit left it", () => {
  const [cache, book] = [new BookCache(), someBook()];
  cache.update([after(book, 7, [account(3)])], new Map([[book, head(5)]]));
  expect(versions(cache.get(book, head(7)))).toEqual([3]);
  expect(versions(cache.get(someBook(), head(7)))).toEqual([]);
});

it.each([
  { name: "somebody else appended a journal", now: head(8) },
  { name: "an account was changed", now: head(7, 1) },
  { name: "the database was set back", now: head(5) },
])("knows nothing when $name", ({ now }) => {
  const [cache, book] = [new BookCache(), someBook()];
  cache.update([after(book, 7, [account(3)])], new Map([[book, head(5)]]));
  expect(versions(cache.get(book, now))).toEqual([]);
});

it("adds the accounts of each of its batches", () => {
  const [cache, book] = [new BookCache(), someBook()];
  const [hot, cold] = [newId("la"), newId("la")];
  cache.update([after(book, 7, [account(3, hot), account(1, cold)])], new Map([[book, head(5)]]));
  cache.update([after(book, 9, [account(5, hot)])], new Map([[book, head(7)]]));
  expect(versions(cache.get(book, head(9)))).toEqual([5, 1]);
});

it("drops a book's accounts if another writer wrote between two of its batches", () => {
  const [cache, book] = [new BookCache(), someBook()];
  cache.update([after(book, 7, [account(3)])], new Map([[book, head(5)]]));
  cache.update([after(book, 20, [account(6)])], new Map([[book, head(15)]]));
  expect(versions(cache.get(book, head(20)))).toEqual([6]);
});

it("drops everything when it is cleared", () => {
  const [cache, book] = [new BookCache(), someBook()];
  cache.update([after(book, 7, [account(3)], [hold()])], new Map([[book, head(5)]]));
  cache.clear();
  expect(versions(cache.get(book, head(7)))).toEqual([]);
});

it("drops the book written to longest ago when there are too many accounts", () => {
  const cache = new BookCache();
  const [old, middle, fresh] = [someBook(), someBook(), someBook()];
  const many = () => Array.from({ length: 20_000 }, () => account(1));
  for (const book of [old, middle]) cache.update([after(book, 1, many())], new Map([[book, head(0)]]));
  cache.update([after(old, 2, [])], new Map([[old, head(1)]]));
  cache.update([after(fresh, 1, many())], new Map([[fresh, head(0)]]));
  expect(
    [old, middle, fresh].map((book) => versions(cache.get(book, head(book === old ? 2 : 1))).length),
  ).toEqual([20_000, 0, 20_000]);
});

it("has the open holds of orders, until its own batch resolves them", () => {
  const [cache, book] = [new BookCache(), someBook()];
  const [open, settled] = [hold(), hold()];
  cache.update([after(book, 2, [], [open, settled])], new Map([[book, head(0)]]));
  expect(holdsOf(cache.get(book, head(2)))).toEqual([open.id, settled.id]);
  const resolved = { ...settled, resolution: { sequence: 3, kind: "Settle" as const } };
  cache.update([after(book, 3, [], [resolved])], new Map([[book, head(2)]]));
  expect(holdsOf(cache.get(book, head(3)))).toEqual([open.id]);
});

it("has no open hold once another writer wrote, for it may have ended there", () => {
  const [cache, book] = [new BookCache(), someBook()];
  cache.update([after(book, 1, [], [hold()])], new Map([[book, head(0)]]));
  expect(cache.get(book, head(2))).toBeUndefined();
  cache.update([after(book, 3, [])], new Map([[book, head(2)]]));
  expect(holdsOf(cache.get(book, head(3)))).toEqual([]);
});

it.each([
  { name: "a tenant's pending transaction", transaction: hold({ orderId: null }) },
  { name: "a posting", transaction: hold({ opening: { sequence: 1, kind: "Post", lines: [] } }) },
])("leaves out $name", ({ transaction }) => {
  const [cache, book] = [new BookCache(), someBook()];
  cache.update([after(book, 1, [], [transaction])], new Map([[book, head(0)]]));
  expect(holdsOf(cache.get(book, head(1)))).toEqual([]);
});

it("drops a book's oldest holds when it has too many", () => {
  const [cache, book] = [new BookCache(), someBook()];
  const holds = Array.from({ length: 10_001 }, () => hold());
  cache.update([after(book, 1, [], holds)], new Map([[book, head(0)]]));
  expect(holdsOf(cache.get(book, head(1)))).toEqual(holds.slice(1).map(({ id }) => id));
});
