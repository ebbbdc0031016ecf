/** Makes the database refuse changes of one book's rows, as a bad row or trigger of that book would. */
import pg from "pg";
import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";

/** Refuses each `event` on `table` (with its schema) for rows of the book. Returns what removes the refusal. */
export async function poisonBook(
  adminUrl: string,
  table: string,
  book: BookId,
  event: "insert" | "update" = "update",
): Promise<() => Promise<void>> {
  await asAdmin(
    adminUrl,
    `create or replace function public.refuse_row() returns trigger language plpgsql as
       $$ begin raise exception 'a row of this book is refused'; end $$;
     create trigger poisoned before ${event} on ${table}
       for each row when (new.book_id = '${uuidOf(book)}') execute function public.refuse_row();
     alter table ${table} enable always trigger poisoned`,
  );
  return () => asAdmin(adminUrl, `drop trigger poisoned on ${table}`);
}

async function asAdmin(adminUrl: string, statements: string): Promise<void> {
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  try {
    await admin.query(statements);
  } finally {
    await admin.end();
  }
}
