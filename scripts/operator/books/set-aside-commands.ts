/** `npm run books`: the commands about books that a consumer has set aside. */
import { z } from "zod";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { Service } from "../../../contracts/message.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import { operatorNats } from "../command-line/connections.ts";
import { type Decided, decision } from "../command-line/decision.ts";
import { follow } from "../command-line/follow.ts";
import { type Given, Misuse } from "../command-line/given.ts";
import type { Tool } from "../command-line/tool.ts";
import { inWords } from "../messages/envelope-summary.ts";
import { isConsumer, leaveOutFirst, listSetAside, releaseSetAside } from "../messages/set-aside.ts";
import { decisionOf, inLedger, onlyBookOf } from "./decision.ts";

async function aside(sql: Sql, given: Given): Promise<void> {
  const only = onlyBookOf(given);
  const found = (await listSetAside(sql)).filter(({ book }) => only === undefined || book === only);
  if (found.length === 0)
    given.note(only === undefined ? "no book is set aside" : `${only} is not set aside`);
  for (const { service, stream, book, state, reason, since, messages, first } of found) {
    given.print(
      { service, stream, book, state, reason, since, messages, first },
      `${book}  ${service} ${stream}  ${state} since ${since.toISOString()}: ${reason}`,
      `  ${String(messages)} messages are stored`,
      ...(first === null ? [] : [`  the first one: ${inWords(first)}`]),
    );
  }
}

/** The service applies the messages even if this process ends. */
async function release(sql: Sql, given: Given): Promise<void> {
  const { book, service, decided } = setAsideOf(given);
  await releaseSetAside(sql, service, book, decided);
  const left = async () => {
    const rest = (await listSetAside(sql, [service])).filter((one) => one.book === book);
    const stopped = rest.find(({ state }) => state === "Aside");
    if (stopped !== undefined) throw new Error(`${book} is set aside again: ${stopped.reason}`);
    const messages = rest.reduce((sum, one) => sum + one.messages, 0);
    return rest.length === 0 ? undefined : `${String(messages)} messages are stored`;
  };
  await follow(given, { service, record: { book, service, state: "Releasing" }, left });
  given.print(
    { book, service, state: "Released" },
    `released  ${book}: ${service} applies its messages again`,
  );
}

async function leaveOut(sql: Sql, given: Given): Promise<void> {
  const { book, service, decided, messageId } = firstOf(given);
  const nats = await operatorNats();
  try {
    const before = await leaveOutFirst(sql, nats, { service, book, messageId }, decided);
    if (before === undefined)
      given.print({ book, service, messageId }, `left out  ${messageId}: npm run dlq -- list`);
    else {
      const { by, at } = before;
      given.print(
        { book, service, messageId, leftOutBefore: { by, at } },
        `${messageId} was left out before, by ${by} at ${at.toISOString()}: nothing is changed`,
      );
    }
  } finally {
    await nats.drain();
  }
}

/** The book and the service that has set it aside, and the operator's name and reason. */
function setAsideOf(given: Given): { book: BookId; service: Service; decided: Decided } {
  const { book, event } = decisionOf(given);
  const service = given.argument(1);
  if (!isConsumer(service)) throw new Misuse(`${service} is no service that consumes messages`);
  return { book, service, decided: event };
}

/** What `setAsideOf` reads, and the id of the message that the operator has seen as the first one. */
function firstOf(given: Given): ReturnType<typeof setAsideOf> & { messageId: string } {
  const messageId = given.argument(2);
  const decided = setAsideOf(given);
  if (z.uuid().safeParse(messageId).success) return { ...decided, messageId: messageId.toLowerCase() };
  throw new Misuse(`${messageId} is not a message's id; see npm run books -- aside`);
}

export const setAsideCommands: Tool["commands"] = {
  aside: {
    about:
      "list the books that a consumer has set aside: since when, why, how many messages are stored, and the first one",
    takes: ["[book id]"],
    check: onlyBookOf,
    run: (given) => inLedger((sql) => aside(sql, given)),
  },
  release: {
    about: "apply the stored messages of a book that was set aside, in their order; then it goes on as usual",
    takes: ["<book id>", "<service>"],
    options: decision,
    changes: true,
    check: setAsideOf,
    run: (given) => inLedger((sql) => release(sql, given)),
  },
  "leave-out": {
    about: "dead-letter the first stored message of a book that was set aside; `aside` shows its id",
    takes: ["<book id>", "<service>", "<message id>"],
    options: decision,
    changes: true,
    check: firstOf,
    run: (given) => inLedger((sql) => leaveOut(sql, given)),
  },
};
