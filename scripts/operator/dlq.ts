/** `npm run dlq -- list | show <n> | redrive <n> | drop <n>`: messages that could not be handled. */
import { jetstream, jetstreamManager, type JetStreamManager, type StoredMsg } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { operatorDatabase, operatorNats, runTool } from "./connections.ts";

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

const usage = "usage: npm run dlq -- list | show <number> | redrive <number> | drop <number>";

async function read(
  manager: JetStreamManager,
  seq: number,
): Promise<{ stored: StoredMsg; letter: DeadLetter }> {
  const stored = await manager.streams.getMessage("DLQ", { seq });
  if (stored === null) throw new Error(`there is no dead letter ${String(seq)}: npm run dlq -- list`);
  return { stored, letter: stored.json<DeadLetter>() };
}

async function list(manager: JetStreamManager): Promise<void> {
  const { state } = await manager.streams.info("DLQ");
  if (state.messages === 0) return console.log("no dead letters");
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const stored = await manager.streams.getMessage("DLQ", { seq });
    if (stored === null) continue; // dropped or redriven
    const letter = stored.json<DeadLetter>();
    const message = messageOf(letter);
    const about = message === undefined ? letter.subject : `${message.type ?? "?"} ${message.subject ?? ""}`;
    console.log(`${String(seq)}  ${letter.at}  ${stored.subject}  ${about}  ${letter.reason}`);
  }
}

/**
 * Publishes a dead letter again on its original subject. Deletes it from its consumer's inbox first; otherwise it would
 * be dropped as a repeat.
 */
async function redrive(nats: NatsConnection, manager: JetStreamManager, seq: number): Promise<void> {
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
  console.log(`sent again on ${letter.subject}`);
}

await runTool(async () => {
  const [action, number] = process.argv.slice(2);
  const seq = Number(number);
  if (action !== "list" && !Number.isInteger(seq)) throw new Error(usage);
  const nats = await operatorNats();
  try {
    const manager = await jetstreamManager(nats);
    if (action === "list") await list(manager);
    else if (action === "show") console.log(JSON.stringify((await read(manager, seq)).letter, null, 2));
    else if (action === "redrive") await redrive(nats, manager, seq);
    else if (action === "drop") {
      await read(manager, seq);
      await manager.streams.deleteMessage("DLQ", seq);
      console.log("dropped");
    } else throw new Error(usage);
  } finally {
    await nats.drain();
  }
});
