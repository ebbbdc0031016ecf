import { hash } from "node:crypto";
import { type BookId, idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../../contracts/message.ts";
import type { Database } from "../persistence/database.ts";
import { pipeline } from "../persistence/pipeline.ts";
import { limitToOneBook } from "../persistence/session-limits.ts";
import type { Sql } from "../persistence/sql.ts";
import { uuidArray } from "../persistence/uuid-array.ts";

/** Aside: messages are stored. Releasing: they are applied in order, and new ones are still stored. */
export type SetAsideState = "Aside" | "Releasing";

/** A message with its place in its stream. */
export interface PlacedMessage {
  readonly message: AnyMessage;
  readonly subject: string;
  readonly streamSequence: number;
  /** Its number in its envelope. */
  readonly part: number;
}

export interface StoredMessage {
  readonly subject: string;
  readonly streamSequence: number;
  readonly raw: unknown;
}

/** The books of a stream that are set aside. */
export async function readSetAsideBooks(sql: Sql, stream: string): Promise<Map<BookId, SetAsideState>> {
  const rows = await sql<{ book_id: string; state: SetAsideState }>(
    "select book_id, state from set_aside_book where stream = $1 order by since",
    [stream],
  );
  return new Map(rows.map(({ book_id, state }) => [idOf("book", book_id), state]));
}

/** Sets a book aside, and stores its messages, in one commit. Returns false if another instance has done it before. */
export async function setBookAside(
  database: Database,
  stream: string,
  { book, reason, messages }: { book: BookId; reason: string; messages: readonly PlacedMessage[] },
): Promise<boolean> {
  return database.transaction(async ({ sql }) => {
    const added = await sql(
      `insert into set_aside_book (stream, book_id, reason)
       values ($1, $2, $3)
       on conflict on constraint set_aside_book_pkey do nothing
       returning 1`,
      [stream, uuidOf(book), reason],
    );
    if (added.length > 0) await insertEvent(sql, stream, { book, kind: "SetAside", reason });
    await insertMessages(sql, stream, messages);
    return added.length > 0;
  });
}

/**
 * Stores messages of books that are set aside, each once, and a command that was sent again not a second time. Returns
 * the books that are not set aside any longer: nothing is stored for them. The lock keeps the others from being
 * released before this commits. It waits for a lock only shortly, because other books wait for it.
 */
export async function storeMessages(
  database: Database,
  stream: string,
  messages: readonly PlacedMessage[],
): Promise<Set<BookId>> {
  const books = [...new Set(messages.map(({ message }) => message.book))];
  return database.transaction(async ({ sql }) => {
    const [, rows] = await pipeline(sql, limitToOneBook, (send) =>
      send<{ book_id: string }>(
        `select book_id
         from set_aside_book
         where stream = $1
           and book_id = any($2::uuid[])
         order by book_id
         for key share`,
        [stream, uuidArray(books.map(uuidOf))],
      ),
    );
    const aside = new Set(rows.map(({ book_id }) => idOf("book", book_id)));
    await insertMessages(
      sql,
      stream,
      messages.filter(({ message }) => aside.has(message.book)),
    );
    return new Set(books.filter((book) => !aside.has(book)));
  });
}

/** A command that is stored already under another id counts as handled: nothing else will ever say so of its copy. */
async function insertMessages(sql: Sql, stream: string, messages: readonly PlacedMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await sql(
    `with sent as (
       select u.message_id, u.book_id, u.stream_sequence, u.part, u.subject, u.message, decode(u.hash, 'hex') as command_hash
       from unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::smallint[], $6::text[], $7::text[], $8::text[])
         as u (message_id, book_id, stream_sequence, part, subject, message, hash)
     ), stored as (
       insert into set_aside_message
         (stream, message_id, book_id, stream_sequence, part, subject, message, command_hash)
       select $1, message_id, book_id, stream_sequence, part, subject, message, command_hash
       from sent
       on conflict do nothing
       returning message_id, book_id, command_hash
     ), known as (
       select message_id, book_id, command_hash
       from stored
       union all
       select s.message_id, s.book_id, s.command_hash
       from sent c
       join set_aside_message s on s.book_id = c.book_id and s.stream = $1 and s.command_hash = c.command_hash
     )
     insert into inbox (message_id)
     select c.message_id
     from sent c
     where exists (
         select from known k
         where k.book_id = c.book_id
           and k.command_hash = c.command_hash
           and k.message_id <> c.message_id
       )
       and not exists (select from known k where k.message_id = c.message_id)
     order by c.message_id
     on conflict do nothing`,
    [
      stream,
      uuidArray(messages.map(({ message }) => message.id)),
      uuidArray(messages.map(({ message }) => uuidOf(message.book))),
      messages.map(({ streamSequence }) => streamSequence),
      messages.map(({ part }) => part),
      messages.map(({ subject }) => subject),
      messages.map(({ message }) => JSON.stringify(message)),
      messages.map(commandHash),
    ],
  );
}

/** What a command asks for, so that one that was sent again under a new id is known. Null for an event. */
function commandHash({ message: { type, data }, subject }: PlacedMessage): string | null {
  return subject.startsWith("cmd.") ? hash("sha256", JSON.stringify([type, data])) : null;
}

/** The oldest stored messages of a book, in the order of their stream. */
export async function oldestMessages(
  sql: Sql,
  stream: string,
  book: BookId,
  count: number,
): Promise<StoredMessage[]> {
  const rows = await sql<{ subject: string; stream_sequence: bigint; message: string }>(
    `select subject, stream_sequence, message
     from set_aside_message
     where stream = $1
       and book_id = $2
     order by stream_sequence, part
     limit $3`,
    [stream, uuidOf(book), count],
  );
  return rows.map(({ subject, stream_sequence, message }) => ({
    subject,
    streamSequence: Number(stream_sequence),
    raw: JSON.parse(message) as unknown,
  }));
}

/**
 * Removes messages in the transaction that applies them. Returns false if another instance holds the book, has applied
 * one of them, or if the book is no longer being released: then nothing may be applied.
 */
export async function removeMessages(
  sql: Sql,
  stream: string,
  book: BookId,
  ids: readonly string[],
): Promise<boolean> {
  const [held] = await sql(
    `select 1
     from set_aside_book
     where stream = $1
       and book_id = $2
       and state = 'Releasing'
     for no key update skip locked`,
    [stream, uuidOf(book)],
  );
  if (held === undefined) return false;
  const removed = await sql(
    "delete from set_aside_message where stream = $1 and message_id = any($2::uuid[]) returning 1",
    [stream, uuidArray(ids)],
  );
  return removed.length === ids.length;
}

/** Ends the release if no message is left. The lock waits for those that are being stored. */
export async function endRelease(database: Database, stream: string, book: BookId): Promise<boolean> {
  return database.transaction(async ({ sql }) => {
    const params = [stream, uuidOf(book)];
    await sql("select 1 from set_aside_book where stream = $1 and book_id = $2 for update", params);
    const ended = await sql(
      `delete from set_aside_book b
       where stream = $1
         and book_id = $2
         and state = 'Releasing'
         and not exists (select from set_aside_message m where m.stream = b.stream and m.book_id = b.book_id)
       returning 1`,
      params,
    );
    if (ended.length > 0)
      await insertEvent(sql, stream, { book, kind: "Resumed", reason: "no message was left" });
    return ended.length > 0;
  });
}

/** Sets a book aside again, because a message failed while it was being released. */
export async function stopRelease(
  database: Database,
  stream: string,
  book: BookId,
  reason: string,
): Promise<void> {
  await database.transaction(async ({ sql }) => {
    const stopped = await sql(
      `update set_aside_book
       set state = 'Aside', reason = $3
       where stream = $1
         and book_id = $2
         and state = 'Releasing'
       returning 1`,
      [stream, uuidOf(book), reason],
    );
    if (stopped.length > 0) await insertEvent(sql, stream, { book, kind: "SetAside", reason });
  });
}

async function insertEvent(
  sql: Sql,
  stream: string,
  { book, kind, reason }: { book: BookId; kind: "SetAside" | "Resumed"; reason: string },
): Promise<void> {
  await sql(
    "insert into set_aside_event (stream, book_id, kind, actor, reason) values ($1, $2, $3, 'consumer', $4)",
    [stream, uuidOf(book), kind, reason],
  );
}
