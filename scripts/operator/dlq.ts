/** `npm run dlq`: messages that could not be handled. */
import { jetstream, jetstreamManager, type JetStreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { runTool } from "./command-line.ts";
import { operatorDatabase, operatorNats } from "./connections.ts";
import { type Given, Misuse } from "./given.ts";
import type { Tool } from "./tool.ts";

interface DeadLetter {
  readonly subject: string;
  readonly at: string;
  readonly reason: string;
  /** A message, or the value that was received instead of one. */
  readonly message: unknown;
}

interface DeadMessage {
  readonly id?: string;
  readonly type?: string;
  readonly subject?: string;
}

/** A sender can send any JSON value; only an object can be a message. */
function messageOf({ message }: DeadLetter): DeadMessage | undefined {
  return typeof message === "object" && message !== null ? message : undefined;
}

async function read(
  manager: JetStreamManager,
  seq: number,
): Promise<{ stored: StoredMsg; letter: DeadLetter }> {
  const stored = await manager.streams.getMessage("DLQ", { seq });
  if (stored === null) throw new Error(`there is no dead letter ${String(seq)}: npm run dlq -- list`);
  return { stored, letter: stored.json<DeadLetter>() };
}

async function list(manager: JetStreamManager, given: Given): Promise<void> {
  const { state } = await manager.streams.info("DLQ");
  if (state.messages === 0) return given.note("no dead letters");
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const stored = await manager.streams.getMessage("DLQ", { seq });
    if (stored === null) continue; // dropped or redriven
    const letter = stored.json<DeadLetter>();
    const message = messageOf(letter);
    const about = message === undefined ? letter.subject : `${message.type ?? "?"} ${message.subject ?? ""}`;
    given.print(
      {
        number: seq,
        at: letter.at,
        deadLetterSubject: stored.subject,
        originalSubject: letter.subject,
        type: message?.type ?? null,
        subject: message?.subject ?? null,
        reason: letter.reason,
      },
      `${String(seq)}  ${letter.at}  ${stored.subject}  ${about}  ${letter.reason}`,
    );
  }
}

/**
 * Publishes a dead letter again on its original subject. Deletes it from its consumer's inbox first; otherwise it would
 * be dropped as a repeat.
 */
async function redrive(nats: NatsConnection, manager: JetStreamManager, given: Given): Promise<void> {
  const seq = numberOf(given);
  const { stored, letter } = await read(manager, seq);
  const message = messageOf(letter);
  if (message?.id === undefined) {
    throw new Error(
      "this dead letter holds no message, so it can't be sent again. Read it with `show`, delete it with `drop`",
    );
  }
  const [, consumer] = stored.subject.split(".");
  const database = await operatorDatabase();
  try {
    await database.query(
      `delete from ${database.escapeIdentifier(consumer ?? "")}.inbox where message_id = $1`,
      [message.id],
    );
    await database.query(
      `update ${database.escapeIdentifier(consumer ?? "")}.failed_message
       set failures = 0, dead_lettered_at = null
       where message_id = $1`,
      [message.id],
    );
  } finally {
    await database.end();
  }
  await jetstream(nats).publish(letter.subject, JSON.stringify({ messages: [message] }));
  await manager.streams.deleteMessage("DLQ", seq);
  given.print({ number: seq, redriven: letter.subject }, `sent again on ${letter.subject}`);
}

async function drop(manager: JetStreamManager, given: Given): Promise<void> {
  const seq = numberOf(given);
  await read(manager, seq);
  await manager.streams.deleteMessage("DLQ", seq);
  given.print({ number: seq, dropped: true }, "dropped");
}

async function show(manager: JetStreamManager, given: Given): Promise<void> {
  const seq = numberOf(given);
  const { letter } = await read(manager, seq);
  given.print({ number: seq, ...letter }, JSON.stringify(letter, null, 2));
}

function numberOf(given: Given): number {
  const seq = Number(given.argument(0));
  if (!Number.isSafeInteger(seq) || seq < 1)
    throw new Misuse(`${given.argument(0)} is not a dead letter's number; see npm run dlq -- list`);
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
      about: "send a dead letter again on its original subject",
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
