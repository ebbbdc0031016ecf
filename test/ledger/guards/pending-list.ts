import { newUuid } from "../../../contracts/ids/ids.ts";
import { type Attack, copyOf } from "./attack.ts";

const first = "book_id = (select book_id from entry order by book_id limit 1)";

/** A new hold is listed. Without the trigger the count is 0, and dividing by it fails. */
export const pendingIsListed: Attack = {
  refused: "nobody refused it",
  statements: [
    "alter table entry disable trigger entries_move_balances",
    "alter table journal disable trigger headers_close_batch",
    copyOf("entry", { seq: 9, account_version: 9 }, first),
    copyOf(
      "journal",
      { seq: 9, transaction_id: newUuid(), command_id: newUuid(), kind: "Hold" },
      `${first} and kind = 'Post'`,
    ),
    "select 1 / count(*) from pending_transaction where seq = 9",
  ],
};
