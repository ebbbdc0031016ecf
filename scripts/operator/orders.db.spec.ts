import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { derivedUuid, idOf, newId, type PaymentOrderId, uuidOf } from "../../contracts/ids/ids.ts";
import { SuspensePosted } from "../../contracts/messages/ledger.ts";
import { CancelOrder } from "../../contracts/messages/orders.ts";
import { InstructionFailed, InstructionReturned } from "../../contracts/messages/rails.ts";
import { PhaseTimeouts } from "../../services/orders/lifecycle/phase-timeouts.worker.ts";
import { Metrics } from "../../services/platform/observability/metrics.ts";
import { OrdersOnTest } from "../../test/stack/orders/orders.ts";
import { until } from "../../test/stack/until.ts";
import { runCommandLine } from "./command-line/command-line.ts";
import { orders as tool } from "./orders.ts";

const orders = new OrdersOnTest();
beforeAll(() => vi.stubEnv("DATABASE_URL", orders.database.adminUrl));
afterAll(() => vi.unstubAllEnvs());

async function run(...args: string[]): Promise<{ code: number; out: string[]; errors: string[] }> {
  const [out, errors]: [string[], string[]] = [[], []];
  const streams = { out: (line: string) => out.push(line), error: (line: string) => errors.push(line) };
  return { code: await runCommandLine(tool, args, streams), out, errors };
}
const records = async (...args: string[]) =>
  (await run(...args, "--json")).out.map((line) => JSON.parse(line) as Record<string, unknown>);

const timeOutIn = (ms: number) => orders.get(PhaseTimeouts).processDue(new Date(Date.now() + ms));
const bookOf = () => orders.caller().book;
const occurredAt = "2026-03-04T17:00:00.000Z";

describe("npm run orders -- stuck", () => {
  let silent: PaymentOrderId;
  beforeAll(async () => {
    // Its phase has not timed out, nor has that of a wire which waits for approvals.
    await orders.create({ rail: "Rtp" });
    const wire = await orders.waitingWire();
    silent = await orders.createdTo("HandingOff", { rail: "Rtp" });
    await timeOutIn(4_000);
    await timeOutIn(60_000);
    await orders.sql(
      "update payment_order set updated_at = updated_at - interval '2 hours' where id = any ($1)",
      [[uuidOf(silent), uuidOf(wire)]],
    );
  });

  it("lists the orders that were not answered for an hour, although they were asked about again", async () => {
    expect(await run("stuck")).toEqual({
      code: 0,
      errors: [],
      out: [
        `${silent}  Test  ${bookOf()}`,
        expect.stringMatching(
          /^ {2}HandingOff: waits for its rail \(Rtp\); last changed at \S+Z; timed out (once|2 times), it times out next at \S+Z$/,
        ) as string,
      ],
    });
    expect(await records("stuck")).toMatchObject([
      { id: silent, book: bookOf(), mode: "Test", phase: "HandingOff", waitsFor: "Rail", deferredEvents: 0 },
    ]);
  });

  it("takes another number of hours, and says when no order waits that long", async () => {
    expect(await records("stuck", "--hours", "1.5")).toHaveLength(1);
    expect(await run("stuck", "--hours", "3")).toEqual({
      code: 0,
      errors: [],
      out: ["no order is stuck: none has waited for an answer for 3 h"],
    });
    expect(await run("stuck", "--hours", "-1")).toMatchObject({ code: 2 });
    expect((await run("stuck", "--hours", "a day")).errors[0]).toMatch(/^--hours must be a number of hours/);
  });
});

describe("npm run orders -- show", () => {
  it("shows where an order is, what it waits for and what became of its events", async () => {
    const text = {
      description: "for Ivy",
      metadata: { note: "confidential" },
      counterpartyName: "Ivy Payee",
    };
    const id = await orders.createdTo("HandingOff", text);
    // It came before the settlement.
    const details = { code: "R02", traceNumber: "021000020000001" };
    await orders.publish(InstructionReturned, id, { orderId: id, number: 3, occurredAt, ...details });
    await until(async () => (await orders.sql("select from deferred_event")).length === 1);
    const { code, out } = await run("show", id);
    expect([code, out[0]]).toEqual([0, `${id}  Processing (HandingOff)`]);
    expect(out[1]).toBe(`  Credit of $12.50 by Ach, Test, ${bookOf()}, ${orders.caller().tenant}`);
    const [shown] = await records("show", id);
    expect(shown).toMatchObject({
      id,
      amountCents: 1_250,
      wait: { waitsFor: "Rail" },
      history: [{ to: "Draft" }, { to: "Submitted" }, { to: "Pending" }, { to: "Processing" }],
      votes: [],
      deferredEvents: [{ type: "rails.instruction-returned.v1", subject: id }],
      parkedEvents: [],
    });
    expect(out.at(-1)).toMatch(/^ {2}deferred: \S+ {2}rails.instruction-returned.v1 {2}po_/);
    for (const written of ["Ivy", "confidential"])
      expect([out.join("\n"), JSON.stringify(shown)].join("\n")).not.toContain(written);
  });

  it("shows who cancelled an order, and not why", async () => {
    const { id } = await orders.create({ submit: false });
    await orders.request(CancelOrder, { id, reason: "confidential: Ivy" });
    await orders.untilStatus(id, "Cancelled");
    const [shown] = await records("show", id);
    expect(shown).toMatchObject({ history: [{ to: "Draft" }, { to: "Cancelled", actor: "maker" }] });
    expect(JSON.stringify(shown)).not.toMatch(/Ivy|confidential/);
    expect((await run("show", id)).out.join()).not.toMatch(/Ivy|confidential/);
  });

  it("refuses what is no order's id, and says when there is no such order", async () => {
    const none = newId("po");
    expect(await run("show", "la_1")).toMatchObject({ code: 2 });
    expect(await run("show", none)).toEqual({
      code: 1,
      out: [],
      errors: [`there is no payment order ${none}`],
    });
  });
});

describe("npm run orders -- decide", () => {
  const parkedAbout = async (id: PaymentOrderId) => {
    const listed = async () => (await records("parked", "--all")).filter(({ orderId }) => orderId === id);
    return (await until(async () => (await listed()).length > 0 && (await listed())))[0]!;
  };
  const decide = (messageId: unknown, by = "ada") =>
    run("decide", String(messageId), "--reason", "the bank returned it, ref 17", "--by", by);
  const undecided = async (inMs: number) => {
    await timeOutIn(inMs);
    const gauge = orders.get(Metrics).gauge("orders_undecided_parked_events", "");
    return (await gauge.get()).values[0]?.value;
  };

  it("takes a parked event off the list and out of the metric, and keeps who decided what", async () => {
    const { id } = await orders.create();
    await orders.holdRefused(id);
    await orders.untilStatus(id, "Failed");
    await orders.instructionSettled(id);
    const { messageId, decision } = await parkedAbout(id);
    expect([decision, await undecided(3_600_000)]).toEqual([null, 1]);

    expect(await decide(messageId)).toMatchObject({ code: 0, out: [`decided  ${String(messageId)}  ${id}`] });
    expect(await undecided(7_200_000)).toBe(0);
    expect(await run("parked")).toEqual({ code: 0, out: ["no event is undecided"], errors: [] });
    expect((await parkedAbout(id))["decision"]).toMatchObject({
      by: "ada",
      reason: "the bank returned it, ref 17",
    });
    expect((await decide(messageId, "sam")).out).toEqual([
      `${String(messageId)} was decided before, by ada: nothing is changed`,
    ]);
    expect((await parkedAbout(id))["decision"]).toMatchObject({ by: "ada" });
    expect((await records("show", id))[0]).toMatchObject({ parkedEvents: [{ messageId, isDecided: true }] });
  });

  it("waits for the journal of money that the ledger books to Suspense", async () => {
    const { id } = await orders.create({ rail: "Rtp" });
    await orders.holdPlaced(id);
    const rejection = { orderId: id, number: 1, occurredAt, code: "AC04", message: "Closed" };
    await orders.publish(InstructionFailed, id, rejection);
    await orders.holdReleased(id);
    await orders.untilStatus(id, "Failed");
    await orders.instructionSettled(id);
    const { messageId } = await parkedAbout(id);
    expect((await run("show", id)).out.at(-1)).toMatch(
      /^ {2}parked: .*; PostToSuspense was sent {2}traceNumber 7$/,
    );
    expect((await decide(messageId)).errors.at(-1)).toBe(
      `the ledger has not posted the money of ${String(messageId)} to Suspense yet: decide when it has a journal`,
    );
    const commandId = derivedUuid(id, "suspense/settlement");
    const transactionId = idOf("lt", commandId);
    await orders.publish(SuspensePosted, id, { orderId: id, commandId, transactionId, sequence: 7 });
    await until(async () => (await parkedAbout(id))["journalSequence"] === 7);
    expect((await decide(messageId)).code).toBe(0);
  });

  it("refuses an event that is not parked, and what is no id", async () => {
    const none = "0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    expect((await decide(none)).errors.at(-1)).toBe(`no event ${none} is parked`);
    expect(await decide("po_1")).toMatchObject({ code: 2 });
  });
});
