import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { AnyFact, Fact, FactType } from "../../../contracts/message.ts";
import type { Sql } from "../persistence/sql.ts";
import { createFact, type FactInput, partitionOf } from "../messages/message.ts";
import { type Facts, pack } from "./pack.ts";
import { uuidArray } from "../persistence/uuid-array.ts";

/** Facts of one subject and one book as they rest in the outbox and as the relay sends them. */
export interface OutboxRow extends Facts {
  readonly day: string;
  /** The first fact's: with the day, the row's key. */
  readonly factId: string;
  readonly subject: string;
}

/**
 * Collects a unit's facts in memory and writes them in one statement just before the commit: the change and the
 * facts that tell of it stand or fall together.
 */
export class OutboxWriter {
  readonly #partitions: number;
  readonly #books = new Map<BookId, { readonly uuid: string; readonly partition: string }>();
  readonly #facts: { subject: string; book: string; fact: AnyFact }[] = [];

  constructor(partitions: number) {
    this.#partitions = partitions;
  }

  /** Queues a fact for the commit. Its id is final. */
  add<T extends FactType>(type: T, input: FactInput<T>): Fact<T> {
    const fact = createFact(type, input);
    const { uuid, partition } = this.#placeOf(input.book);
    this.#facts.push({ subject: `${type.subject}.${partition}`, book: uuid, fact: fact as AnyFact });
    return fact;
  }

  /** A batch is of few books: each is worked out once. */
  #placeOf(book: BookId): { readonly uuid: string; readonly partition: string } {
    const known = this.#books.get(book);
    if (known !== undefined) return known;
    const place = { uuid: uuidOf(book), partition: partitionOf(book, this.#partitions) };
    this.#books.set(book, place);
    return place;
  }

  /** Inserts what was queued and gives the rows, to be published once the commit stands. */
  async write(sql: Sql): Promise<OutboxRow[]> {
    if (this.#facts.length === 0) return [];
    const parts = this.#facts.map(({ subject, book, fact }) => ({
      factId: fact.id,
      subject,
      book,
      facts: JSON.stringify(fact),
      count: 1,
    }));
    const rows = pack(parts, ({ subject, book }) => `${subject} ${book}`).map(({ first, facts, count }) => ({
      ...first,
      facts,
      count,
    }));
    const [inserted] = await sql<{ day: string }>(
      `with added as (
         insert into outbox (fact_id, subject, book_id, fact, fact_count)
         select * from unnest($1::uuid[], $2::text[], $3::uuid[], string_to_array($4, chr(10)), $5::smallint[])
         returning day
       )
       select min(day)::text as day from added`,
      [
        uuidArray(rows.map(({ factId }) => factId)),
        `{${rows.map(({ subject }) => subject).join(",")}}`,
        uuidArray(rows.map(({ book }) => book)),
        // JSON has no line feed of its own: one text, taken apart by Postgres, costs a third of a quoted array.
        rows.map(({ facts }) => facts).join("\n"),
        rows.map(({ count }) => count),
      ],
    );
    const day = inserted?.day ?? "";
    return rows.map(({ factId, subject, facts, count }) => ({ day, factId, subject, facts, count }));
  }
}
