import { describe, expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { GetBalanceHistory } from "../../../contracts/messages/ledger.ts";
import { until } from "../../../test/stack/until.ts";
import { sqlOn, openLedgerOfFile } from "../../../test/ledger/world.ts";
import { postingOf, sampleBook, sampleTenant } from "../../../test/ledger/commands.ts";
import { requestBy } from "../../../test/ledger/requests.ts";
import { findAccountAsOf } from "./store/accounts.ts";
import { QueryHistory } from "./query-history.handler.ts";
import { waitUntilRecorded } from "../posting/store/as-of.ts";
import { postJournals } from "../posting/post-journals.ts";

// A balance as of a time, once answered, never changes.
const book = uuidOf(sampleBook);

const world = await openLedgerOfFile();
const [payroll, savings] = [await world.opens(), await world.opens()];

const millisecond = async () => {
  const [row] = await world.units.database.sql<{ now: Date }>("select clock_timestamp() as now");
  return row!.now.getTime();
};
const postedAt = async (asOfMs: number) => {
  const moment = { kind: "Recorded", asOfMs } as const;
  const row = await findAccountAsOf(world.units.database.sql, book, uuidOf(savings), moment);
  return row!.posted_credit;
};

/** Writes and dates a batch that moves so many cents to `savings`, and does not commit it. */
async function beginsPosting(cents: number): Promise<void> {
  await world.service.query("begin");
  const command = postingOf([payroll, "Debit", cents], [savings, "Credit", cents]);
  await postJournals(sqlOn(world.service), [{ book: sampleBook, command }]);
}

const untilReaderWaits = () =>
  until("the reader waits for the batch", async () => {
    const { rows } = await world.superuser.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%no_more_journals_before%' and datname = current_database()",
    );
    return rows.length > 0 ? true : undefined;
  });

describe("a time", () => {
  it("in the future is not over", async () => {
    expect(await waitUntilRecorded(world.units.database.sql, book, (await millisecond()) + 60_000)).toBe(
      false,
    );
  });

  it("in the current millisecond is over when that millisecond ends", async () => {
    expect(await waitUntilRecorded(world.units.database.sql, book, await millisecond())).toBe(true);
  });

  it("of a book that does not exist is over", async () => {
    expect(await waitUntilRecorded(world.units.database.sql, uuidOf(payroll), await millisecond())).toBe(
      true,
    );
  });

  it("is not over while a batch with that record time is uncommitted", async () => {
    await beginsPosting(700);
    const time = await millisecond();
    // The batch is written and dated, but not committed, so no other connection sees it.
    expect(await postedAt(time)).toBe(0n);
    const answered = waitUntilRecorded(world.units.database.sql, book, time).then(() => postedAt(time));
    await untilReaderWaits();
    await world.service.query("commit");
    expect(await answered).toBe(700n);
  });

  it("is not over for a history that ends now while a batch is uncommitted", async () => {
    await beginsPosting(33);
    const request = { ledgerAccountId: savings, query: { from: "2026-01-02T00:00:00Z", points: 1 } };
    const history = new QueryHistory(world.units.database);
    const answered = history.history(GetBalanceHistory.data.parse(request), requestBy(sampleTenant));
    await untilReaderWaits();
    await world.service.query("commit");
    const { to, data } = await answered;
    expect(BigInt(data[0]!.postedBalanceCents)).toBe(await postedAt(Date.parse(to)));
  });

  it("before the book's last journal needs no wait", async () => {
    const before = await millisecond();
    await world.writes(postingOf([payroll, "Debit", 1], [savings, "Credit", 1]));
    await world.service.query("begin");
    await world.service.query("select * from lock_books($1)", [[book]]);
    expect(await waitUntilRecorded(world.units.database.sql, book, before)).toBe(true);
    await world.service.query("rollback");
  });

  it("does not keep the book's head locked after the answer", async () => {
    await world.service.query("begin");
    expect((await world.service.query("select no_more_journals_before($1, now())", [book])).rows).toEqual([
      { no_more_journals_before: true },
    ]);
    const { rows } = await world.superuser.query(
      "select from book_head where book_id = $1 for update nowait",
      [book],
    );
    expect(rows).toHaveLength(1);
    await world.service.query("rollback");
  });
});
