import pino from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type BookId, bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import type { AnyMessage, MessageType } from "../../../contracts/message.ts";
import { HoldPlaced } from "../../../contracts/messages/ledger.ts";
import { ApprovalRightChanged } from "../../../contracts/messages/tenants.ts";
import { Metrics } from "../observability/metrics.ts";
import type { InFlight } from "./batch.ts";
import type { ConsumerParts } from "./consumer-parts.ts";
import type { BookToSetAside } from "./failures.ts";
import type { SetAsideBooks } from "./set-aside-books.ts";
import { WaitingBooks } from "./waiting-books.ts";

const newBook = () => bookIdOf(newId("ten"), "Test");
const slow = newBook();
const locked = Object.assign(new Error("locked"), { code: "55P03" });

let setAside: BookToSetAside[];
let envelopeOf: Map<AnyMessage, InFlight>;
let waiting: WaitingBooks;
let apply: (messages: readonly AnyMessage[]) => Promise<void>;
beforeEach(() => {
  setAside = [];
  envelopeOf = new Map();
  const parts = {
    types: [HoldPlaced, ApprovalRightChanged],
    metrics: new Metrics("test"),
    log: pino({ level: "silent" }),
    config: { stream: "EVT" },
    database: { isHealthy: () => Promise.resolve(true) },
  } as unknown as ConsumerParts;
  const aside = {
    has: () => false,
    setAside: (failing: BookToSetAside) => Promise.resolve(setAside.push(failing)),
  } as unknown as SetAsideBooks;
  apply = () => Promise.reject(locked);
  const act = (messages: readonly AnyMessage[]) =>
    messages.length > 0 ? apply(messages) : Promise.resolve();
  waiting = new WaitingBooks(parts, { apply: act, aside, wake: () => undefined });
});

/** Makes `count` messages of a book wait, each in an envelope of its own. Another book's message has succeeded. */
function wait(book: BookId, { type }: MessageType, count: number): AnyMessage[] {
  const messages = Array.from({ length: count }, () => ({ book, type }) as AnyMessage);
  for (const message of messages) envelopeOf.set(message, { waiting: 0 } as InFlight);
  waiting.add(messages, envelopeOf);
  waiting.succeeded([{ book: newBook() } as AnyMessage]);
  return messages;
}

describe("if more than 500 envelopes wait", () => {
  it("the book with the most messages is set aside", async () => {
    const [small, large] = [newBook(), newBook()];
    wait(small, HoldPlaced, 100);
    const messages = wait(large, HoldPlaced, 401);
    await waiting.tryDue(envelopeOf);
    expect(setAside).toMatchObject([{ book: large, messages }]);
  });

  it("messages that overtake don't count in the choice of the book, because they are not stored", async () => {
    const [overtaking, inOrder] = [newBook(), newBook()];
    wait(overtaking, ApprovalRightChanged, 600);
    const messages = wait(inOrder, HoldPlaced, 501);
    await waiting.tryDue(envelopeOf);
    expect(setAside).toMatchObject([{ book: inOrder, messages }]);
  });

  it("no book is set aside while at most 500 envelopes have messages that can be stored", async () => {
    const [overtaking, inOrder] = [newBook(), newBook()];
    wait(overtaking, ApprovalRightChanged, 501);
    wait(inOrder, HoldPlaced, 500);
    await waiting.tryDue(envelopeOf);
    expect(setAside).toEqual([]);
    expect(waiting.entries()).toHaveLength(1_001);
  });
});

describe("a book whose attempt has failed", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("is due at once when another one goes on, because both may have waited for the same session", async () => {
    const [first, second] = [newBook(), newBook()];
    wait(first, HoldPlaced, 1);
    await waiting.tryDue(envelopeOf);
    vi.advanceTimersByTime(4_000);
    wait(second, HoldPlaced, 1);
    await waiting.tryDue(envelopeOf);
    const applied: BookId[] = [];
    apply = (messages) => {
      applied.push(...messages.map(({ book }) => book));
      waiting.remove(messages);
      return Promise.resolve();
    };
    expect(waiting.hasDue).toBe(false);
    // Five seconds after its own attempt the first one is due, and the second only four seconds later.
    vi.advanceTimersByTime(1_000);
    await waiting.tryDue(envelopeOf);
    expect(applied).toEqual([first]);
    expect(waiting.hasDue).toBe(true);
    await waiting.tryDue(envelopeOf);
    expect(applied).toEqual([first, second]);
  });
});

describe("a book whose messages take too long together", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    ["a thousand", 1_000, 300, [1_000, 500, 250, 500, 250, 500, 250, 250]],
    ["a hundred", 100, 30, [100, 50, 25, 50, 25, 50, 25, 25]],
  ])(
    "tries half as many after an attempt that took too long, and twice as many after a success: %s",
    async (_, count, fit, tried) => {
      const messages = Array.from(
        { length: count },
        () => ({ type: HoldPlaced.type, book: slow }) as AnyMessage,
      );
      const envelope = { waiting: 0 } as InFlight;
      for (const message of messages) envelopeOf.set(message, envelope);
      waiting.add(messages, envelopeOf);
      const sizes: number[] = [];
      apply = (some) => {
        sizes.push(some.length);
        if (some.length > fit) return Promise.reject(Object.assign(new Error("too slow"), { code: "57014" }));
        waiting.remove(some);
        return Promise.resolve();
      };
      for (let attempts = 0; attempts < 12 && waiting.entries().length > 0; attempts += 1) {
        vi.advanceTimersByTime(60_000);
        await waiting.tryDue(envelopeOf);
      }
      expect(sizes).toEqual(tried);
    },
  );

  it("tries as many again after an attempt that waited for a lock", async () => {
    const messages = wait(slow, HoldPlaced, 400);
    await waiting.tryDue(envelopeOf);
    vi.advanceTimersByTime(60_000);
    const sizes: number[] = [];
    apply = (some) => {
      sizes.push(some.length);
      waiting.remove(some);
      return Promise.resolve();
    };
    await waiting.tryDue(envelopeOf);
    expect(sizes).toEqual([messages.length]);
  });
});
