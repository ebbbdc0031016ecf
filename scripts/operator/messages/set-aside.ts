/** The books that consumers have set aside: what `npm run books` shows and changes of them. */
import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type BookId, idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { type Service, services } from "../../../contracts/message.ts";
import { durableConsumers } from "../../../contracts/streams.ts";
import { deadLetter } from "../../../services/platform/messages/dead-letter.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";

export interface SetAsideBook {
  readonly service: Service;
  readonly stream: string;
  readonly book: BookId;
  readonly state: "Aside" | "Releasing";
  readonly reason: string;
  readonly since: Date;
  readonly messages: number;
}

/** Who decides, and why. */
export interface Decided {
  readonly by: string;
  readonly reason: string;
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
    }>(
      `select b.stream, b.book_id, b.state, b.reason, b.since,
         (select count(*)::int from ${service}.set_aside_message m
          where m.stream = b.stream and m.book_id = b.book_id) as messages
       from ${service}.set_aside_book b
       order by b.since`,
    );
    found.push(...rows.map(({ book_id, ...row }) => ({ ...row, service, book: idOf("book", book_id) })));
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

interface FirstMessage {
  readonly stream: string;
  readonly message_id: string;
  readonly subject: string;
  readonly stream_sequence: string | bigint;
  readonly message: string;
}

/**
 * Dead-letters the first stored message of a book, so that those after it can be applied. The book may be being
 * released: then a lock lets the service finish what it is applying, and begin nothing. After a crash in between the
 * message is still stored: run it again, and drop the second letter.
 */
export async function leaveOutFirst(
  sql: Sql,
  nats: NatsConnection,
  service: Service,
  book: BookId,
  { by, reason }: Decided,
): Promise<string> {
  await sql("begin"); // a throw ends the session, which rolls back
  const { stream, message_id: id, subject, ...first } = await lockFirst(sql, service, book);
  const seq = Number(first.stream_sequence);
  const why = `left out by operator:${by}: ${reason}`;
  // Without an id by which JetStream would drop it as a repeat: a service could have used that before.
  await jetstream(nats, { timeout: letterTimeoutMs }).publish(
    `dlq.${service}.${stream.toLowerCase()}`,
    deadLetter({ subject, seq }, why, JSON.parse(first.message)),
  );
  await sql(
    `with gone as (
       delete from ${service}.set_aside_message where stream = $1 and message_id = $2 returning stream, book_id, message_id
     ), handled as (
       insert into ${service}.inbox (message_id) select message_id from gone on conflict do nothing
     )
     insert into ${service}.set_aside_event (stream, book_id, kind, actor, reason)
     select stream, book_id, 'LeftOut', $3, message_id || ': ' || $4 from gone`,
    [stream, id, `operator:${by}`, reason],
  );
  await sql("commit");
  return id;
}

/**
 * Locks the book as the service does that applies its messages (`removeMessages`), then reads the first one: of a
 * stream whose messages only an operator can release, if there is one.
 */
async function lockFirst(sql: Sql, service: Service, book: BookId): Promise<FirstMessage> {
  await sql(
    `select 1
     from ${service}.set_aside_book
     where book_id = $1
     order by stream
     for no key update`,
    [uuidOf(book)],
  );
  const [first] = await sql<FirstMessage>(
    `select m.stream, m.message_id, m.subject, m.stream_sequence, m.message
     from ${service}.set_aside_message m
     join ${service}.set_aside_book b on b.book_id = m.book_id and b.stream = m.stream
     where m.book_id = $1
     order by b.state = 'Releasing', m.stream, m.stream_sequence, m.part
     limit 1`,
    [uuidOf(book)],
  );
  if (first !== undefined) return first;
  throw new Error(`${service} stores no message of ${book}: npm run books -- aside`);
}
