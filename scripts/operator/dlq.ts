/** `npm run dlq`: messages that could not be handled. */
import { jetstream, jetstreamManager, type JetStreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { runTool } from "./command-line/command-line.ts";
import { operatorDatabase, operatorNats } from "./command-line/connections.ts";
import { readLetter, redriveOf } from "./messages/dead-letters.ts";
import { type Given, Misuse } from "./command-line/given.ts";
import type { Tool } from "./command-line/tool.ts";

const maxShownChars = 200;

async function read(manager: JetStreamManager, seq: number): Promise<StoredMsg> {
  const stored = await manager.streams.getMessage("DLQ", { seq });
  if (stored === null) throw new Error(`there is no dead letter ${String(seq)}: npm run dlq -- list`);
  return stored;
}

async function list(manager: JetStreamManager, given: Given): Promise<void> {
  let stored = await nextFrom(manager, 1);
  if (stored === null) return given.note("no dead letters");
  for (; stored !== null; stored = await nextFrom(manager, stored.seq + 1)) print(given, stored);
}

/** The first letter from this number on. A consumer that wrote too many leaves gaps of any size between the others'. */
function nextFrom(manager: JetStreamManager, seq: number): Promise<StoredMsg | null> {
  const request = { seq, next_by_subj: ">" };
  return manager.streams.getMessage("DLQ", request);
}

function print(given: Given, stored: StoredMsg): void {
  const { seq } = stored;
  const known = { number: seq, deadLetterSubject: stored.subject };
  const text = stored.string();
  const letter = readLetter(text);
  if (letter === undefined) {
    const start = text.slice(0, maxShownChars);
    given.print({ ...known, notALetter: text }, `${String(seq)}  ${stored.subject}  no letter: ${start}`);
    return;
  }
  const { at, subject: originalSubject, reason } = letter;
  const { type = null, subject = null } = Object(letter.message) as { type?: unknown; subject?: unknown };
  const about = type === null ? originalSubject : `${textOf(type)} ${textOf(subject ?? "")}`;
  given.print(
    { ...known, at, originalSubject, type, subject, reason },
    `${String(seq)}  ${at}  ${stored.subject}  ${about}  ${reason}`,
  );
}

/** An object's own `toString` could be anything. */
const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/**
 * Publishes the message again on its original subject, if the topology and its contract allow that. Deletes it from its
 * consumer's inbox first; otherwise it would be dropped as a repeat.
 */
async function redrive(nats: NatsConnection, manager: JetStreamManager, given: Given): Promise<void> {
  const seq = numberOf(given);
  const stored = await read(manager, seq);
  const { consumer, subject, message } = redriveOf(stored.subject, stored.string());
  const database = await operatorDatabase();
  try {
    await database.query(`delete from ${consumer}.inbox where message_id = $1`, [message.id]);
    await database.query(
      `update ${consumer}.failed_message
       set failures = 0, dead_lettered_at = null
       where message_id = $1`,
      [message.id],
    );
  } finally {
    await database.end();
  }
  await jetstream(nats).publish(subject, JSON.stringify({ messages: [message] }));
  await manager.streams.deleteMessage("DLQ", seq);
  given.print({ number: seq, redriven: subject }, `sent again on ${subject}`);
}

async function drop(manager: JetStreamManager, given: Given): Promise<void> {
  const seq = numberOf(given);
  await read(manager, seq);
  await manager.streams.deleteMessage("DLQ", seq);
  given.print({ number: seq, dropped: true }, "dropped");
}

async function show(manager: JetStreamManager, given: Given): Promise<void> {
  const seq = numberOf(given);
  const text = (await read(manager, seq)).string();
  const letter = readLetter(text);
  if (letter === undefined) given.print({ number: seq, notALetter: text }, ...text.split("\n"));
  else given.print({ number: seq, ...letter }, ...JSON.stringify(letter, null, 2).split("\n"));
}

function numberOf(given: Given): number {
  const seq = Number(given.argument(0));
  // `Number` also reads 1e1 and 0x1, which a person did not mean as a number of the list.
  if (!/^[1-9]\d*$/.test(given.argument(0)) || !Number.isSafeInteger(seq))
    throw new Misuse(
      `${given.argument(0) || "an empty text"} is not a dead letter's number; see npm run dlq -- list`,
    );
  return seq;
}

async function withNats(
  act: (manager: JetStreamManager, nats: NatsConnection) => Promise<void>,
): Promise<void> {
  const nats = await operatorNats();
  try {
    await act(await jetstreamManager(nats), nats);
  } finally {
    await nats.drain();
  }
}

export const dlq: Tool = {
  name: "dlq",
  commands: {
    list: {
      about: "list the dead letters, with their numbers",
      run: (given) => withNats((manager) => list(manager, given)),
    },
    show: {
      about: "print a dead letter",
      takes: ["<number>"],
      check: numberOf,
      run: (given) => withNats((manager) => show(manager, given)),
    },
    redrive: {
      about: "send a dead letter again to the consumer that could not handle it",
      takes: ["<number>"],
      check: numberOf,
      changes: true,
      run: (given) => withNats((manager, nats) => redrive(nats, manager, given)),
    },
    drop: {
      about: "delete a dead letter",
      takes: ["<number>"],
      check: numberOf,
      changes: true,
      run: (given) => withNats((manager) => drop(manager, given)),
    },
  },
};

if (import.meta.main) await runTool(dlq);
