import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { AnyMessage, Message, MessageType } from "../../../contracts/message.ts";
import type { Sql } from "../persistence/sql.ts";
import { createMessage, type MessageInput, partitionOf } from "../messages/message.ts";
import { type PackedMessages, pack } from "./pack.ts";
import { uuidArray } from "../persistence/uuid-array.ts";

/** Messages of one subject and one book as they rest in the outbox and as the relay sends them. */
export interface OutboxRow extends PackedMessages {
  readonly day: string;
  /** The first message's: with the day, the row's key. */
  readonly messageId: string;
  readonly subject: string;
}

/**
 * Collects a unit's messages in memory and writes them in one statement just before the commit: the change and the
 * messages that tell of it stand or fall together.
 */
export class OutboxWriter {
  readonly #partitions: number;
  readonly #books = new Map<BookId, { readonly uuid: string; readonly partition: string }>();
  readonly #messages: { subject: string; book: string; message: AnyMessage }[] = [];

  constructor(partitions: number) {
    this.#partitions = partitions;
  }

  /** Queues a message for the commit. Its id is final. */
  add<T extends MessageType>(type: T, input: MessageInput<T>): Message<T> {
    const message = createMessage(type, input);
    const { uuid, partition } = this.#routeOf(input.book);
    this.#messages.push({
      subject: `${type.subject}.${partition}`,
      book: uuid,
      message: message as AnyMessage,
    });
    return message;
  }

  /** A batch is of few books: each is worked out once. */
  #routeOf(book: BookId): { readonly uuid: string; readonly partition: string } {
    const known = this.#books.get(book);
    if (known !== undefined) return known;
    const place = { uuid: uuidOf(book), partition: partitionOf(book, this.#partitions) };
    this.#books.set(book, place);
    return place;
  }

  /** Inserts what was queued and gives the rows, to be published once the commit stands. */
  async write(sql: Sql): Promise<OutboxRow[]> {
    if (this.#messages.length === 0) return [];
    const parts = this.#messages.map(({ subject, book, message }) => ({
      messageId: message.id,
      subject,
      book,
      messages: JSON.stringify(message),
      count: 1,
    }));
    const rows = pack(parts, ({ subject, book }) => `${subject} ${book}`).map(
      ({ first, messages, count }) => ({
        ...first,
        messages,
        count,
      }),
    );
    const [inserted] = await sql<{ day: string }>(
      `with added as (
         insert into outbox (message_id, subject, book_id, message, message_count)
         select * from unnest($1::uuid[], $2::text[], $3::uuid[], string_to_array($4, chr(10)), $5::smallint[])
         returning day
       )
       select min(day)::text as day from added`,
      [
        uuidArray(rows.map(({ messageId }) => messageId)),
        `{${rows.map(({ subject }) => subject).join(",")}}`,
        uuidArray(rows.map(({ book }) => book)),
        // JSON has no line feed of its own: one text, taken apart by Postgres, costs a third of a quoted array.
        rows.map(({ messages }) => messages).join("\n"),
        rows.map(({ count }) => count),
      ],
    );
    const day = inserted?.day ?? "";
    return rows.map(({ messageId, subject, messages, count }) => ({
      day,
      messageId,
      subject,
      messages,
      count,
    }));
  }
}
