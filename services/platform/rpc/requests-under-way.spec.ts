import { describe, expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { RequestsUnderWay } from "./requests-under-way.ts";

const tenant = newId("ten");
const book = bookIdOf(tenant, "Test");
const refused = expect.objectContaining({
  code: "rate_limited",
  context: { retryAfterSeconds: 1 },
}) as Error;

describe("a book", () => {
  it("may have requests of this total weight under way, and more as soon as one ends", () => {
    const requests = new RequestsUnderWay(6);
    requests.enter(book, 5);
    requests.enter(book);
    expect(() => requests.enter(book)).toThrow(refused);
    requests.leave(book, 5);
    for (let request = 0; request < 5; request += 1) requests.enter(book);
    expect(() => requests.enter(book)).toThrow(refused);
  });

  it("does not use up another book's limit", () => {
    const requests = new RequestsUnderWay(1);
    requests.enter(book);
    requests.enter(bookIdOf(tenant, "Live"));
    expect(() => requests.enter(bookIdOf(tenant, "Live"))).toThrow(refused);
  });

  it("may send a request heavier than the limit while it has no other under way", () => {
    const requests = new RequestsUnderWay(2);
    requests.enter(book, 5);
    expect(() => requests.enter(book)).toThrow(refused);
    requests.leave(book, 5);
    requests.enter(book, 5);
  });

  it("is not limited by 0", () => {
    const requests = new RequestsUnderWay(0);
    for (let request = 0; request < 1_000; request += 1) requests.enter(book, 5);
  });
});
