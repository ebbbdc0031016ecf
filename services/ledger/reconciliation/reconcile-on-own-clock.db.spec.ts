import { beforeEach, describe, expect, it } from "vitest";
import { idOf, lowestUuidAt, uuidOf } from "../../../contracts/ids/ids.ts";
import type { StatementLine } from "../../../contracts/messages/bank-statements.ts";
import { lineOf } from "../../../test/ledger/bank.ts";
import { sampleBook } from "../../../test/ledger/commands.ts";
import { Reconciler } from "../../../test/ledger/reconciler.ts";
import { sqlOn } from "../../../test/ledger/world.ts";
import { withGuardsOff } from "../../../test/stack/database/guards-off.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";

// Statements and effective times are of the book's clock; the ledger appends and reads in real time.
let at: Reconciler;
let sequence = 0;
beforeEach(async () => {
  at = await Reconciler.open();
  return () => at.close();
});

const hourMs = 3_600_000;
const standsAt = (time: string) =>
  saveClock(at.world.units.database.sql, sampleBook, {
    mode: "Manual",
    leadMs: 0,
    standsAt: new Date(time),
    sequence: (sequence += 1),
  });
const inbound = (occurredAt: string): Omit<StatementLine, "line"> =>
  lineOf(null, 500, { kind: "Inbound", reference: "7910-in", occurredAt });
/** Of a statement that the bank issues in an hour of real time: after all that the ledger has appended. */
const issuedLater = () => ({ id: idOf("stm", lowestUuidAt(new Date(Date.now() + hourMs))) });

describe("in a book whose clock is behind real time", () => {
  it("an inbound line is in transit until the clock is a minute further", async () => {
    await standsAt("2026-03-02T15:00:30.000Z");
    await at.gets("2026-03-02", [inbound("2026-03-02T15:00:00.000Z")]);
    expect(await at.report()).toMatchObject({
      status: "Reconciled",
      inTransit: [{ reason: "NotYetBooked", reference: "7910-in" }],
    });
    await standsAt("2026-03-02T15:01:00.000Z");
    await at.gets("2026-03-02", []);
    expect(await at.report()).toMatchObject({
      status: "Broken",
      unmatchedBankLines: [{ reason: "NoLedgerEntry", reference: "7910-in" }],
    });
  });

  it("an inbound line is unmatched once its statement is a minute old in real time, though the clock stands", async () => {
    await standsAt("2026-03-02T15:00:30.000Z");
    await at.gets("2026-03-02", [inbound("2026-03-02T15:00:30.000Z")]);
    expect(await at.report()).toMatchObject({ status: "Reconciled", inTransit: [{ reference: "7910-in" }] });
    const anHourAgo = idOf("stm", lowestUuidAt(new Date(Date.now() - hourMs)));
    const run = sqlOn(at.world.superuser);
    await withGuardsOff(run, "ledger", () =>
      run("update bank_statement set statement_id = $1", [uuidOf(anHourAgo)]),
    );
    await at.gets("2026-03-02", [], { previousStatementId: anHourAgo });
    expect(await at.report()).toMatchObject({
      status: "Broken",
      unmatchedBankLines: [{ reason: "NoLedgerEntry", reference: "7910-in" }],
    });
  });

  it("an entry of the last minute is unmatched if the statement that the bank issued after it lacks its line", async () => {
    await standsAt("2026-03-02T15:00:00.000Z");
    const order = await at.settled("2026-03-02T15:00:00.000Z");
    await at.gets("2026-03-02", [], { endsAt: "2026-03-02T15:00:00.001Z", ...issuedLater() });
    expect(await at.report()).toMatchObject({
      status: "Broken",
      unmatchedLedgerEntries: [{ reason: "NoBankLine", paymentOrderId: order }],
    });
  });

  it("an entry of the last minute is in transit if it was appended after the bank issued the statement", async () => {
    await standsAt("2026-03-02T15:00:00.000Z");
    const parts = at.bank.prints("2026-03-02", [], {
      endsAt: "2026-03-02T15:00:00.001Z",
      id: idOf("stm", lowestUuidAt(new Date(Date.now() - hourMs))),
    });
    await at.settled("2026-03-02T15:00:00.000Z");
    await at.receives(...parts);
    expect(await at.report()).toMatchObject({
      status: "Reconciled",
      inTransit: [{ reason: "NotYetAtBank" }],
    });
  });
});

describe("in a book whose clock is ahead of real time", () => {
  it("an inbound line that the ledger has not booked is unmatched after a minute of that clock", async () => {
    const now = new Date(Date.now() + 24 * hourMs);
    await standsAt(now.toISOString());
    await at.gets("2026-03-02", [inbound(new Date(now.getTime() - 60_000).toISOString())]);
    expect(await at.report()).toMatchObject({
      status: "Broken",
      unmatchedBankLines: [{ reason: "NoLedgerEntry" }],
    });
  });
});
