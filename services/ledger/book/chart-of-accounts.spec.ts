import { v5 } from "uuid";
import { expect, it } from "vitest";
import { bookIdOf, idOf, newId } from "../../../contracts/ids/ids.ts";
import { chartAccountId, chartOfAccounts } from "./chart-of-accounts.ts";

const namespace = "5b1fa2ab-6bbd-5f0a-9a6b-0d6a3b1f6a11";
const books = [bookIdOf(newId("ten"), "Test"), bookIdOf(newId("ten"), "Live")];

it("derives an account's id from its book and class, the same at each call", () => {
  const expected = books.flatMap((book) =>
    chartOfAccounts.map((account) => idOf("la", v5(`${book}/chart/${account.class}`, namespace))),
  );
  const derived = () =>
    books.flatMap((book) => chartOfAccounts.map((account) => chartAccountId(book, account.class)));
  expect(derived()).toEqual(expected);
  expect(derived()).toEqual(expected);
  // More than are remembered at a time.
  for (let other = 0; other < 10_000; other += 1) chartAccountId(`book_${String(other)}`, "Suspense");
  expect(derived()).toEqual(expected);
});
