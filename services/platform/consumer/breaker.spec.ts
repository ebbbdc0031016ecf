import { describe, expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { Breaker } from "./breaker.ts";

const book = bookIdOf(newId("ten"), "Live");
const otherBook = bookIdOf(newId("ten"), "Live");
const thirdBook = bookIdOf(newId("ten"), "Live");

/** Fails these messages in turn, `a1` to `c3`: the letter names the book. Returns the state after each. */
function failures(breaker: Breaker, ids: readonly string[], code = "42P01"): boolean[] {
  const books = { a: book, b: otherBook, c: thirdBook };
  return ids.map((id) => {
    breaker.failedAlone({ id, book: books[id.charAt(0) as keyof typeof books] }, code);
    return breaker.isOpen;
  });
}

describe("messages of several books that fail alone, one after the other, with the same code", () => {
  it("count as a bad deploy once they reach the limit", () => {
    expect(failures(new Breaker(3), ["a1", "b1", "b2"])).toEqual([false, false, true]);
  });

  it("count as a bad deploy until a message succeeds: one more failure is enough", () => {
    const breaker = new Breaker(3);
    failures(breaker, ["a1", "b1", "b2"]);
    expect(failures(breaker, ["a1"])).toEqual([true]);
    breaker.succeeded([{ id: "c1", book: thirdBook }]);
    expect(failures(breaker, ["a1"])).toEqual([false]);
  });
});

describe("messages of one book that fail alone with the same code", () => {
  it("count against this book once they reach the limit, and never as a bad deploy", () => {
    const breaker = new Breaker(3);
    expect(failures(breaker, ["a1", "a2"])).toEqual([false, false]);
    expect(breaker.isFailing(book)).toBe(false);
    expect(failures(breaker, ["a3", "a4"])).toEqual([false, false]);
    expect(breaker.isFailing(book)).toBe(true);
    expect(breaker.failingBooks()).toEqual([{ book, code: "42P01" }]);
  });

  it("count while messages of other books succeed, until one of the book's own succeeds", () => {
    const breaker = new Breaker(3);
    for (const id of ["a1", "a2", "a3"]) {
      failures(breaker, [id]);
      breaker.succeeded([{ id: "b1", book: otherBook }]);
    }
    expect(breaker.failingBooks()).toEqual([{ book, code: "42P01" }]);
    breaker.succeeded([{ id: "a4", book }]);
    expect(breaker.failingBooks()).toEqual([]);
    expect(breaker.hasFailed(book)).toBe(false);
  });

  it("say nothing about the deploy once another book has succeeded", () => {
    const breaker = new Breaker(3);
    expect(failures(breaker, ["a1", "b1", "a2", "b2"])).toEqual([false, false, true, true]);
    breaker.succeeded([{ id: "c1", book: thirdBook }]);
    expect(failures(breaker, ["a1", "b1", "a2", "b2", "a3", "b3"])).not.toContain(true);
    expect(breaker.failingBooks().map((failing) => failing.book)).toEqual([book, otherBook]);
  });

  it("say nothing about the deploy once the book was set aside", () => {
    const breaker = new Breaker(3);
    failures(breaker, ["a1", "a2", "a3"]);
    breaker.forget(book);
    expect(breaker.failingBooks()).toEqual([]);
    expect(failures(breaker, ["b1", "c1", "b2"])).toEqual([false, false, true]);
  });
});

describe("bad messages", () => {
  it("are the cause when one message fails repeatedly", () => {
    const breaker = new Breaker(3);
    expect(failures(breaker, Array<string>(10).fill("a1"), "23514")).not.toContain(true);
    expect(breaker.failingBooks()).toEqual([]);
  });

  it("are the cause when others succeed between them", () => {
    const breaker = new Breaker(3);
    for (const id of ["a1", "b1", "a2", "b2"]) {
      expect(failures(breaker, [id], "23514")).toEqual([false]);
      breaker.succeeded([
        { id: "a3", book },
        { id: "b3", book: otherBook },
      ]);
    }
    expect(breaker.failingBooks()).toEqual([]);
  });

  it("are the cause when they fail for different reasons", () => {
    const breaker = new Breaker(2);
    expect(failures(breaker, ["a1"], "23514")).toEqual([false]);
    expect(failures(breaker, ["b1"], "22P02")).toEqual([false]);
    expect(failures(breaker, ["c1"], "23514")).toEqual([false]);
    expect(failures(breaker, ["a2"], "23514")).toEqual([true]);
  });
});
