import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { AnyMessage, Service } from "../../../contracts/message.ts";
import { maxReportedMessages } from "../../../contracts/messages/clocks.ts";
import { consumersOf } from "../../../contracts/streams.ts";
import type { Sql } from "../persistence/sql.ts";
import { uuidArray } from "../persistence/uuid-array.ts";

export interface UnconfirmedMessage {
  readonly id: string;
  readonly type: string;
  readonly consumer: Service;
}

/** Records messages of books with a clock, once for each consumer. */
export async function insertUnconfirmed(sql: Sql, messages: readonly AnyMessage[]): Promise<void> {
  const rows = messages.flatMap((message) =>
    consumersOf(message.type).map((consumer) => ({ message, consumer })),
  );
  if (rows.length === 0) return;
  await sql(
    `insert into unconfirmed_message (book_id, message_id, consumer, type)
     select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[])`,
    [
      uuidArray(rows.map(({ message }) => uuidOf(message.book))),
      uuidArray(rows.map(({ message }) => message.id)),
      rows.map(({ consumer }) => consumer),
      rows.map(({ message }) => message.type),
    ],
  );
}

/** Oldest first, at most `maxReportedMessages`. */
export async function readUnconfirmed(sql: Sql, book: BookId): Promise<UnconfirmedMessage[]> {
  return sql<{ id: string; type: string; consumer: Service }>(
    `select message_id as id, type, consumer
     from unconfirmed_message
     where book_id = $1
     order by message_id, consumer
     limit $2`,
    [uuidOf(book), maxReportedMessages],
  );
}

export async function deleteUnconfirmed(
  sql: Sql,
  book: BookId,
  handled: readonly { readonly id: string; readonly consumer: Service }[],
): Promise<void> {
  if (handled.length === 0) return;
  await sql(
    `delete from unconfirmed_message u
     using unnest($2::uuid[], $3::text[]) as h (message_id, consumer)
     where u.book_id = $1
       and u.message_id = h.message_id
       and u.consumer = h.consumer`,
    [uuidOf(book), uuidArray(handled.map(({ id }) => id)), handled.map(({ consumer }) => consumer)],
  );
}
