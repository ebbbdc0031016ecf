/** The books that consumers have set aside: what `npm run books` shows and changes of them. */
import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type BookId, idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { type Service, services } from "../../../contracts/message.ts";
import { durableConsumers } from "../../../contracts/streams.ts";
import { deadLetter } from "../../../services/platform/messages/dead-letter.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import type { Decided } from "../command-line/decision.ts";
import { type EnvelopeSummary, inWords, summaryOf } from "./envelope-summary.ts";

export interface SetAsideBook {
  readonly service: Service;
  readonly stream: string;
  readonly book: BookId;
  readonly state: "Aside" | "Releasing";
  readonly reason: string;
  readonly since: Date;
  readonly messages: number;
  /** The one that is applied next; null if none is stored. */
  readonly first: EnvelopeSummary | null;
}

const consumers = services.filter((service) => durableConsumers(service).length > 0);

export function isConsumer(name: string): name is Service {
  return consumers.some((service) => service === name);
}

/** The books that services have set aside, longest first. */
export async function listSetAside(sql: Sql, of: readonly Service[] = consumers): Promise<SetAsideBook[]> {
  const found: SetAsideBook[] = [];
  for (const service of of) {
    const rows = await sql<{
      stream: string;
      book_id: string;
      state: "Aside" | "Releasing";
      reason: string;
      since: Date;
      messages: number;
      message: string | null;
    }>(
      `select b.stream, b.book_id, b.state, b.reason, b.since,
         (select count(*)::int from ${service}.set_aside_message m
          where m.stream = b.stream and m.book_id = b.book_id) as messages,
         (select m.message from ${service}.set_aside_message m
          where m.stream = b.stream and m.book_id = b.book_id
          order by m.stream_sequence, m.part
          limit 1) as message
       from ${service}.set_aside_book b
       order by b.since`,
    );
    found.push(
      ...rows.map(({ book_id, message, ...row }) => ({
        ...row,
        service,
        book: idOf("book", book_id),
        first: message === null ? null : summaryOf(message),
      })),
    );
  }
  return found;
}

/**
 * Lets a service apply the stored messages of a book, in their order. The service does it by itself, so this process
 * may end. A book that is being released already goes on. Throws if the book is not set aside.
 */
export async function releaseSetAside(
  sql: Sql,
  service: Service,
  book: BookId,
  { by, reason }: Decided,
): Promise<void> {
  const rows = await sql(
    `with released as (
       update ${service}.set_aside_book
       set state = 'Releasing'
       where book_id = $1
         and state = 'Aside'
       returning stream, book_id
     )
     insert into ${service}.set_aside_event (stream, book_id, kind, actor, reason)
     select stream, book_id, 'Released', $2, $3 from released
     returning stream`,
    [uuidOf(book), `operator:${by}`, reason],
  );
  if (rows.length > 0) return;
  const releasing = (await listSetAside(sql, [service])).some((one) => one.book === book);
  if (!releasing) throw new Error(`${service} has not set ${book} aside: npm run books -- aside`);
}

/** An operator would rather wait than leave a message out twice. */
const letterTimeoutMs = 30_000;

interface StoredMessage {
  readonly stream: string;
  readonly message_id: string;
  readonly subject: string;
  readonly stream_sequence: string | bigint;
  readonly message: string;
}

/** The message that an operator means, of a book that a service has set aside. */
export interface MeantMessage {
  readonly service: Service;
  readonly book: BookId;
  readonly messageId: string;
}

/** Who left a message out before, and when. */
export interface LeftOut {
  readonly by: string;
  readonly at: Date;
}

/**
 * Dead-letters a stored message of a book if it is the first one, so that those after it can be applied. Otherwise
 * throws an error that names the first one, or, if the message was left out before, returns that. The book may be being
 * released: then a lock lets the service finish what it is applying, and begin nothing. After a crash in between the
 * message is still stored: run it again, and drop the second letter.
 */
export async function leaveOutFirst(
  sql: Sql,
  nats: NatsConnection,
  meant: MeantMessage,
  { by, reason }: Decided,
): Promise<LeftOut | undefined> {
  const { service, messageId } = meant;
  await sql("begin"); // a throw ends the session, which rolls back
  const firsts = await lockFirsts(sql, meant);
  const first = firsts.find(({ message_id: id }) => id === messageId);
  if (first === undefined) {
    const before = await whoLeftOut(sql, meant);
    await sql("rollback");
    if (before !== undefined) return before;
    throw new Error(notTheFirst(meant, firsts));
  }
  const { stream, subject, message } = first;
  const why = `left out by operator:${by}: ${reason}`;
  // Without an id by which JetStream would drop it as a repeat: a service could have used that before.
  await jetstream(nats, { timeout: letterTimeoutMs }).publish(
    `dlq.${service}.${stream.toLowerCase()}`,
    deadLetter({ subject, seq: Number(first.stream_sequence) }, why, JSON.parse(message)),
  );
  await sql(
    `with gone as (
       delete from ${service}.set_aside_message where stream = $1 and message_id = $2 returning stream, book_id, message_id
     ), handled as (
       insert into ${service}.inbox (message_id) select message_id from gone on conflict do nothing
     )
     insert into ${service}.set_aside_event (stream, book_id, kind, actor, reason)
     select stream, book_id, 'LeftOut', $3, message_id || ': ' || $4 from gone`,
    [stream, messageId, `operator:${by}`, reason],
  );
  await sql("commit");
  return undefined;
}

/**
 * Locks the book as the service does that applies its messages (`removeMessages`), then reads the first message of each
 * stream: a book may be set aside in several.
 */
async function lockFirsts(sql: Sql, { service, book }: MeantMessage): Promise<StoredMessage[]> {
  await sql(
    `select 1
     from ${service}.set_aside_book
     where book_id = $1
     order by stream
     for no key update`,
    [uuidOf(book)],
  );
  return sql<StoredMessage>(
    `select m.stream, m.message_id, m.subject, m.stream_sequence, m.message
     from ${service}.set_aside_book b
     cross join lateral (
       select * from ${service}.set_aside_message x
       where x.book_id = b.book_id and x.stream = b.stream
       order by x.stream_sequence, x.part
       limit 1
     ) m
     where b.book_id = $1
     order by m.stream`,
    [uuidOf(book)],
  );
}

/** Undefined if it is stored: then it came again after it was left out, and has its turn. */
async function whoLeftOut(
  sql: Sql,
  { service, book, messageId }: MeantMessage,
): Promise<LeftOut | undefined> {
  const [row] = await sql<LeftOut>(
    `select e.actor as by, e.at
     from ${service}.set_aside_event e
     where e.book_id = $1
       and e.kind = 'LeftOut'
       and starts_with(e.reason, $2 || ': ')
       and not exists (
         select from ${service}.set_aside_message m where m.book_id = $1 and m.message_id = $2::uuid
       )
     order by e.number desc
     limit 1`,
    [uuidOf(book), messageId],
  );
  return row;
}

function notTheFirst({ service, book, messageId }: MeantMessage, firsts: readonly StoredMessage[]): string {
  if (firsts.length === 0) return `${service} stores no message of ${book}: npm run books -- aside`;
  const shown = firsts.map(({ stream, message }) => `${stream} ${inWords(summaryOf(message))}`);
  return `${messageId} is not the first stored message of ${book}; nothing is changed. First: ${shown.join("; ")}`;
}
