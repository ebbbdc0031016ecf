import { describe, expect, it } from "vitest";
import { type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { proveBooks } from "../../faults/evidence/prove.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { approve, simulate } from "../../world/actions.ts";
import { advanceClock } from "../../world/patience/advances.ts";
import { setClock } from "../../world/patience/set-clock.ts";
import { linesOf } from "../../world/story.ts";
import { operatorRuns } from "../../world/system/operator.ts";
import { until } from "../../stack/until.ts";
import { usd } from "../../world/usd.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

// The bank moves money of an order that is already final: our books follow the money, and the event is parked.
const world = await forThisFile(OwnWorld.start({ isPatient: true }));

/** The ledger's entries of an order outside its own transaction: `Suspense Debit 4000`. */
async function suspenseLinesOf(orderId: string): Promise<string[]> {
  const order = await world.order(orderId);
  const transactions = (order.strayMovements ?? []).map(({ ledgerTransactionId }) => ledgerTransactionId);
  const parked = await world.rows<{ journal_sequence: string | null; lines: string[] | null }>(
    `select p.journal_sequence::text as journal_sequence,
       array_agg(a.name || ' ' || e.direction || ' ' || e.amount_cents order by a.name) as lines
     from orders.parked_event p
     left join ledger.journal j on j.book_id = p.book_id and j.transaction_id = p.ledger_transaction_id
     left join ledger.entry e on e.book_id = j.book_id and e.seq = j.seq
     left join ledger.account a on a.book_id = e.book_id and a.account_id = e.account_id
     where p.order_id = $1
     group by p.message_id, p.journal_sequence, p.parked_at
     order by p.parked_at`,
    [orderId],
  );
  expect(parked).toHaveLength(transactions.length);
  expect(parked.filter(({ journal_sequence }) => journal_sequence === null)).toEqual([]);
  return parked.flatMap(({ lines }) => lines ?? []);
}

/** What `npm run books -- suspense` lists of the order. */
async function openInSuspense(orderId: string): Promise<string[]> {
  const { stdout } = await operatorRuns(world, "books", ["suspense"]);
  const lines = stdout.split("\n");
  return lines.flatMap((line, index) => (line.startsWith(orderId) ? [lines[index + 1]?.trim() ?? ""] : []));
}

const untilBooked = (orderId: string, count: number) =>
  until(`${String(count)} unexpected movements of ${orderId}`, async () => {
    const rows = await world.rows(
      "select 1 from orders.parked_event where order_id = $1 and journal_sequence is not null",
      [orderId],
    );
    return rows.length >= count ? true : undefined;
  });

describe("a rail that settles an order that it failed before", () => {
  it("leaves the order Failed and the payer's balance unchanged; Suspense holds what went out and what came back", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await payer.pays(usd("40.00"), { rail: "Rtp", to: "300404" });
    await world.comesToRest(order.id);

    expect((await simulate(world, order.id, "settle")).status).toBe(422);
    expect((await simulate(world, order.id, "settle", { force: true })).body.effect).toBe("Applied");
    await untilBooked(order.id, 1);
    expect(await suspenseLinesOf(order.id)).toEqual(["Settlement cash Credit 4000", "Suspense Debit 4000"]);
    const failed = await world.order(order.id);
    expect(failed.status).toBe("Failed");
    expect(failed.strayMovements).toMatchObject([{ movement: "Settlement", returnCode: null }]);
    expect(await openInSuspense(order.id)).toEqual([
      "$40.00: the bank paid it out, and no account was charged for it",
    ]);
    expect(await payer.balance()).toEqual({ posted: usd("100.00"), held: 0, available: usd("100.00") });
    expect(await linesOf(payer, order.id)).toEqual([
      "Hold: Debit 4000 Pending",
      "Discharge: Credit 4000 Pending",
    ]);

    await simulate(world, order.id, "late-return", { code: "R03", force: true });
    await untilBooked(order.id, 2);
    expect(await suspenseLinesOf(order.id)).toEqual([
      "Settlement cash Credit 4000",
      "Suspense Debit 4000",
      "Settlement cash Debit 4000",
      "Suspense Credit 4000",
    ]);
    expect(await openInSuspense(order.id)).toEqual([]);
    await until("two calls for a person", () => {
      const calls = world.lines.filter(
        (line) => line.includes("an event was parked") && line.includes(order.id),
      );
      return calls.length === 2 ? true : undefined;
    });
    await proveBooks(world);
  });
});

describe("a bank that returns a payment twice", () => {
  it("keeps the first return on the order, and Suspense holds the second", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await payer.pays(usd("40.00"), { rail: "Ach", to: "200002" });
    await world.reaches(order.id, (seen) => seen.return !== null);

    await simulate(world, order.id, "late-return", { code: "R03", force: true });
    await untilBooked(order.id, 1);
    expect(await suspenseLinesOf(order.id)).toEqual(["Settlement cash Debit 4000", "Suspense Credit 4000"]);
    expect(await openInSuspense(order.id)).toEqual([
      "$40.00: the bank holds it for the book, and no account was credited with it",
    ]);
    const late = await world.order(order.id);
    expect(late).toMatchObject({ status: "Completed", return: { code: "R02", late: true } });
    expect(late.strayMovements).toMatchObject([{ movement: "Return", returnCode: "R03" }]);
    expect(await payer.balance()).toEqual({ posted: usd("100.00"), held: 0, available: usd("100.00") });
    // Our cash account equals the bank's balance to the cent.
    const [bank] = await world.rows<{ cents: string }>(
      `select sum(case side when 'In' then amount_cents else -amount_cents end)::text as cents
       from rails.bank_movement`,
    );
    const [ours] = await world.rows<{ cents: string }>(
      `select sum(b.posted_debit - b.posted_credit)::text as cents
       from ledger.account_balance b
       join ledger.account a using (book_id, account_id)
       where a.class = 'SettlementCash'`,
    );
    expect(ours).toEqual(bank);
    await proveBooks(world);
  });
});

describe("a receiver that sends a wire back before its bank has reported the settlement", () => {
  it("gives the payer the money once, although the bank then says that the wire failed", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const clock = { mode: "Manual", startAt: "2038-02-08T15:00:00.000Z" } as const;
    expect((await setClock(world, world.tenant.keys.maker, clock)).status).toBe(200);
    const match = { externalId: "sent-back-early" };
    await world.post("/v1/simulations/injections", { match, fault: "SentBack" });
    const { id } = await payer.pays(usd("40.00"), { rail: "Wire", ...match });
    for (const by of ["approver1", "approver2"] as const) await approve(world, id, by);
    await world.reaches(id, ({ status }) => status === "Processing");
    await until("the steps of the rail", () => sentBackComesFirst(id));
    await advanceClock(world, { to: "2038-02-08T15:00:01.000Z" });
    await world.reaches(id, ({ sentBackBy }) => sentBackBy !== null);
    const hadBack = { posted: usd("140.00"), held: usd("40.00"), available: usd("100.00") };
    expect(await payer.balance()).toEqual(hadBack);

    await simulate(world, id, "fail");
    await until("a call for a person", () =>
      world.lines.some((line) => line.includes("an event was parked") && line.includes(id)),
    );
    expect((await world.order(id)).status).toBe("Processing");
    expect(await payer.balance()).toEqual(hadBack);

    await simulate(world, id, "settle", { force: true });
    await world.reaches(id, ({ status }) => status === "Completed");
    expect(await world.order(id)).toMatchObject({ failure: null, strayMovements: [] });
    expect(await payer.balance()).toEqual({ posted: usd("100.00"), held: 0, available: usd("100.00") });
    await proveBooks(world);
  });
});

/** Has the rail report what its receiver sent back as the next event, before the settlement. */
async function sentBackComesFirst(orderId: string): Promise<boolean> {
  const moved = await world.rows(
    `with step as (
       update rails.step
       set number = case kind when 'Settled' then 4 else number end,
           due_at = case kind when 'SentBack' then timestamptz '2038-02-08 15:00:01Z' else due_at end
       where order_id = $1 and kind in ('Settled', 'SentBack')
       returning order_id, kind, due_at
     )
     update rails.instruction i
     set next_due_at = step.due_at
     from step
     where i.order_id = step.order_id and step.kind = 'SentBack'
     returning 1`,
    [uuidOf(orderId as PaymentOrderId)],
  );
  return moved.length === 1;
}
