import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { AnyMessage, Message, MessageType } from "../../../contracts/message.ts";
import type { Sql } from "../persistence/sql.ts";
import { createMessage, type MessageInput, partitionOf } from "../messages/message.ts";
import { type PackedMessages, pack } from "./pack.ts";
import { insertUnconfirmed } from "./unconfirmed-messages.ts";
import { uuidArray } from "../persistence/uuid-array.ts";

/** One row of the outbox: messages of one subject and one book, published as one envelope or part of one. */
export interface OutboxRow extends PackedMessages {
  readonly day: string;
  /** The id of the first message; with the day, the row's primary key. */
  readonly messageId: string;
  readonly subject: string;
  /** The book's uuid. */
  readonly book: string;
}

/**
 * Collects a transaction's messages in memory and inserts them in one statement just before the commit, so that a
 * change and the messages that report it commit together or not at all.
 */
export class OutboxWriter {
  readonly #partitions: number;
  readonly #books = new Map<BookId, { readonly uuid: string; readonly partition: string }>();
  readonly #messages: { subject: string; book: string; message: AnyMessage }[] = [];
  readonly #hasClock: (book: BookId) => boolean;

  /** `hasClock` tells whether a book has a clock of its own. */
  constructor(partitions: number, hasClock: (book: BookId) => boolean = () => false) {
    this.#partitions = partitions;
    this.#hasClock = hasClock;
  }

  /** Adds a message, to be inserted before the commit. Its id is final. */
  add<T extends MessageType>(type: T, input: MessageInput<T>): Message<T> {
    const message = createMessage(type, input);
    const { uuid, partition } = this.#routeOf(input.book);
    if (this.#hasClock(input.book)) message.bookclock = true;
    this.#messages.push({
      subject: `${type.subject}.${partition}`,
      book: uuid,
      message: message as AnyMessage,
    });
    return message;
  }

  /** Computed once per book: a batch has few of them. */
  #routeOf(book: BookId): { readonly uuid: string; readonly partition: string } {
    const known = this.#books.get(book);
    if (known !== undefined) return known;
    const route = { uuid: uuidOf(book), partition: partitionOf(book, this.#partitions) };
    this.#books.set(book, route);
    return route;
  }

  /**
   * Inserts the messages and returns their rows, to be published after the commit. Throws at once if a message can't be
   * written, so that the commit is not sent.
   */
  write(sql: Sql): Promise<OutboxRow[]> {
    if (this.#messages.length === 0) return Promise.resolve([]);
    const rows = this.#rows();
    const inserting = sql<{ day: string }>(
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
        // Our JSON contains no line feed. Splitting one text costs Postgres a third of what unquoting an array costs.
        rows.map(({ messages }) => messages).join("\n"),
        rows.map(({ count }) => count),
      ],
    );
    const withClock = this.#messages.flatMap(({ message }) => (message.bookclock === true ? [message] : []));
    const recording = insertUnconfirmed(sql, withClock);
    return Promise.all([inserting, recording]).then(([[inserted]]) =>
      rows.map(({ messageId, subject, book, messages, count }) => ({
        day: inserted?.day ?? "",
        messageId,
        subject,
        book,
        messages,
        count,
      })),
    );
  }

  #rows() {
    const parts = this.#messages.map(({ subject, book, message }) => ({
      messageId: message.id,
      subject,
      book,
      messages: JSON.stringify(message),
      count: 1,
    }));
    return pack(parts, ({ subject, book }) => `${subject} ${book}`).map(({ first, messages, count }) => ({
      ...first,
      messages,
      count,
    }));
  }
}
