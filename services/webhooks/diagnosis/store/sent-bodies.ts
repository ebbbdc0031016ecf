import type { Sql } from "../../../platform/persistence/sql.ts";

/** The bytes of a book's event, one row for each version of the API in which it was sent. */
export async function readSentBodies(sql: Sql, book: string, eventId: string): Promise<string[]> {
  const rows = await sql<{ body: string }>(
    `select r.body
     from event e
     join rendering r on r.event_id = e.id
     where e.book_id = $1
       and e.id = $2
     order by r.api_version`,
    [book, eventId],
  );
  return rows.map(({ body }) => body);
}
