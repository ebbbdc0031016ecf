import { type BookId, uuidOf } from "../../../contracts/ids.ts";
import type { AnyFact, Fact, FactType } from "../../../contracts/message.ts";
import type { Sql } from "../persistence/sql.ts";
import { createFact, type FactInput, partitionOf } from "./facts.ts";
import { uuidArray } from "../persistence/uuid-array.ts";

/** A fact as it rests in the outbox and as the relay sends it. */
export interface OutboxRow {
  readonly day: string;
  readonly factId: string;
  readonly subject: string;
  readonly fact: string;
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
    const texts = this.#facts.map(({ fact }) => JSON.stringify(fact));
    const [inserted] = await sql<{ day: string }>(
      `with added as (
         insert into outbox (fact_id, subject, book_id, fact)
         select * from unnest($1::uuid[], $2::text[], $3::uuid[], string_to_array($4, chr(10)))
         returning day
       )
       select min(day)::text as day from added`,
      [
        uuidArray(this.#facts.map(({ fact }) => fact.id)),
        `{${this.#facts.map(({ subject }) => subject).join(",")}}`,
        uuidArray(this.#facts.map(({ book }) => book)),
        // JSON has no line feed of its own: one text, taken apart by Postgres, costs a third of a quoted array.
        texts.join("\n"),
      ],
    );
    const day = inserted?.day ?? "";
    return this.#facts.map(({ subject, fact }, index) => ({
      day,
      factId: fact.id,
      subject,
      fact: texts[index] ?? "",
    }));
  }
}
