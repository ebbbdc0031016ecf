/** A Test book's clock, over HTTP: how it is set and advanced. The journeys of the rails show what follows it. */
import { describe, expect, it } from "vitest";
import type { Clock, ClockPut, ClockAdvance } from "../../../contracts/http/sandbox/clock.ts";
import { stepsTo } from "../../../scripts/local/demo/clock-steps.ts";
import type { Problem } from "../../../contracts/http/problem.ts";
import { type BookId, newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { advanceClock, doneAdvance } from "../../world/patience/advances.ts";
import { setClock } from "../../world/patience/set-clock.ts";
import { sendPatiently } from "../../world/patience/patiently.ts";
import { World } from "../../world/world.ts";

const path = "/v1/simulations/clock";

/** A tenant of its own, whose clock nobody else moves. */
async function openBook() {
  const world = await World.join();
  const { maker, live } = world.tenant.keys;
  return {
    world,
    live,
    book: world.tenant.tenant.testBook as BookId,
    put: <T = Clock>(body: ClockPut) => setClock<T>(world, maker, body),
    get: async () => (await sendPatiently<Clock>(world, maker, "GET", path)).body,
    post: (to: string, body?: object) => sendPatiently(world, maker, "POST", to, { body }),
    /** Begins to advance. */
    advance: <T = ClockAdvance>(body: object, headers = { prefer: "wait=10" }) =>
      sendPatiently<T>(world, maker, "POST", `${path}/advance`, { body, headers }),
    /** Advances, and waits until that is done. */
    advances: (body: object) => advanceClock(world, body),
    stop: () => world.stop(),
  };
}
const forTheFile = () => forThisFile(openBook());

describe("a clock that was never set", async () => {
  const book = await forTheFile();

  it("is Instant, in real time", async () => {
    const before = Date.now();
    const { now, ...clock } = await book.get();
    expect(clock).toEqual({ mode: "Instant", leadSeconds: 0, seed: "0", advanceId: null });
    expect(Date.parse(now)).toBeGreaterThanOrEqual(before - 1_000);
  });

  it.each([{ nextBankingDay: true }, { nextEvent: true }])("can't be advanced by %o", async (body) => {
    const refused = await book.advance<Problem>(body);
    expect(refused).toMatchObject({ status: 409, body: { code: "clock_not_manual" } });
  });

  it("stays without a row while it is set to what it is", async () => {
    expect((await book.put({ mode: "Instant", seed: "s" })).body).toMatchObject({
      mode: "Instant",
      seed: "s",
    });
    const rows = await book.world.rows("select from rails.book_clock where book_id = $1", [
      uuidOf(book.book),
    ]);
    expect(rows).toEqual([]);
  });

  it("belongs to Test books", async () => {
    for (const sent of [
      book.world.send<Problem>(book.live, "PUT", path, { body: { mode: "Manual" } }),
      book.world.send<Problem>(book.live, "GET", path),
      book.world.send<Problem>(book.live, "POST", `${path}/advance`, { body: { nextEvent: true } }),
    ]) {
      expect(await sent).toMatchObject({ status: 403, body: { code: "simulation_requires_test_key" } });
    }
  });
});

describe("a Manual clock", async () => {
  const book = await forTheFile();
  const startAt = "2038-02-12T20:00:00.000Z";

  it("is known to every service once it is set", async () => {
    const set = await book.put({ mode: "Manual", startAt, seed: "holiday" });
    expect(set).toMatchObject({ status: 200, body: { mode: "Manual", now: startAt, seed: "holiday" } });
    for (const service of ["rails", "orders", "ledger", "webhooks"]) {
      const rows = await book.world.rows(
        `select sequence, mode, stands_at from ${service}.book_clock where book_id = $1`,
        [uuidOf(book.book)],
      );
      const sequence = stepsTo(startAt).length + 1;
      expect(rows, service).toEqual([{ sequence, mode: "Manual", stands_at: new Date(startAt) }]);
    }
  });

  it("stands until it is advanced, and arrives where it was sent", async () => {
    expect((await book.get()).now).toBe(startAt);
    const sentAt = performance.now();
    const { status, body, headers } = await book.advance({ nextBankingDay: true });
    expect(status).toBe(202);
    // A slow machine needs longer than the request waits.
    expect(body.status === "Done" || performance.now() - sentAt > 9_900).toBe(true);
    const done = await doneAdvance(book.world, body.id);
    const arrived = {
      status: "Done",
      from: startAt,
      to: "2038-02-16T05:00:00.000Z",
      steps: 1,
      waitingFor: null,
    };
    expect(done).toMatchObject(arrived);
    expect(headers.get("location")).toBe(`${path}/advances/${body.id}`);
    expect(body.status === "Done" ? body : done).toEqual(done);
    expect((await book.get()).now).toBe("2038-02-16T05:00:00.000Z");
  });

  it("dates a ledger transaction", async () => {
    const { world } = book;
    const [from, to] = [await world.payerNamed("Fees"), await world.payerNamed("Income")];
    const entry = (ledgerAccountId: string, direction: "Debit" | "Credit") => ({
      ledgerAccountId,
      direction,
      amountCents: 100,
    });
    const entries = [entry(from.accountId, "Debit"), entry(to.accountId, "Credit")];
    const posted = await book.post("/v1/ledger-transactions", { description: "x", entries });
    expect(posted).toMatchObject({ status: 201, body: { effectiveAt: "2038-02-16T05:00:00.000Z" } });
    const later = { description: "x", entries, effectiveAt: "2038-02-16T05:10:00Z" };
    expect(await book.post("/v1/ledger-transactions", later)).toMatchObject({
      status: 422,
      body: { code: "effective_date_invalid" },
    });
  });

  it("has no next event while nothing waits", async () => {
    const refused = await book.advance<Problem>({ nextEvent: true });
    expect(refused).toMatchObject({ status: 422, body: { code: "simulation_not_applicable" } });
  });

  it.each<[object, number, string]>([
    [{ to: "2038-02-16T04:59:59Z" }, 422, "clock_goes_back"],
    [{ to: "2040-02-17T05:00:00Z" }, 400, "invalid_field"],
    [{}, 400, "invalid_field"],
    [{ to: "2038-03-01T00:00:00Z", nextBankingDay: true }, 400, "invalid_field"],
    [{ nextWindow: "Rtp" }, 422, "simulation_not_applicable"],
  ])("refuses to advance by %o", async (body, status, code) => {
    expect(await book.advance<Problem>(body)).toMatchObject({ status, body: { code } });
    expect((await book.get()).now).toBe("2038-02-16T05:00:00.000Z");
  });

  it("waits for every message of the book, and can't be set or advanced while it waits", async () => {
    const message = newUuid();
    const unhandled = [uuidOf(book.book), message];
    await book.world.rows(
      `insert into orders.unconfirmed_message (book_id, message_id, consumer, type)
       values ($1, $2, 'ledger', 'orders.any.v1')`,
      unhandled,
    );
    const { body } = await book.advance({ to: "2038-02-16T06:00:00Z" }, { prefer: "wait=1" });
    expect(body.status).toBe("Running");
    expect((await book.get()).advanceId).toBe(body.id);
    const set = await book.put<Problem>({ mode: "Real" });
    const advancing = { status: 409, body: { code: "clock_advancing", advanceId: body.id } };
    expect(set).toMatchObject(advancing);
    expect(await book.advance<Problem>({ nextEvent: true })).toMatchObject(advancing);

    await book.world.rows("insert into ledger.inbox (message_id) values ($1)", [message]);
    expect((await doneAdvance(book.world, body.id)).steps).toBe(1);
    const left = await book.world.rows(
      "select from orders.unconfirmed_message where book_id = $1 and message_id = $2",
      unhandled,
    );
    expect(left).toEqual([]);
  });

  it("keeps its lead when it is left", async () => {
    const { body } = await book.put({ mode: "Real" });
    expect(body.mode).toBe("Real");
    expect(Date.parse(body.now)).toBeGreaterThanOrEqual(Date.parse("2038-02-16T06:00:00Z"));
    const again = await book.put({ mode: "Manual" });
    expect(Date.parse(again.body.now)).toBeGreaterThanOrEqual(Date.parse(body.now));
    expect(await book.put<Problem>({ mode: "Manual", startAt: "2038-06-01T00:00:00Z" })).toMatchObject({
      status: 400,
      body: { code: "invalid_field" },
    });
  });
});

describe("a clock that begins while payments are under way", () => {
  /** Lets the rail take a payment before the clock begins. */
  async function atRail({ world }: Awaited<ReturnType<typeof openBook>>, id: string): Promise<void> {
    await until("the rail has taken the payment", async () => {
      const { body } = await world.get<{ state: string }>(`/v1/simulations/payment-orders/${id}`);
      return body.state === "AtRail" ? true : undefined;
    });
  }
  async function inFlight({ world }: Awaited<ReturnType<typeof openBook>>): Promise<number | undefined> {
    const { body } = await world.get<{ data: { rail: string; inFlight: number }[] }>("/v1/simulations/rails");
    return body.data.find(({ rail }) => rail === "Ach")?.inFlight;
  }

  describe("and delayed", async () => {
    const book = await forTheFile();

    it("is followed by what their rail has still to do", async () => {
      const payer = await book.world.payerNamed("Payroll");
      const delay = { match: { rail: "Ach" }, fault: "Delay", delaySeconds: 600 };
      expect((await book.post("/v1/simulations/injections", delay)).status).toBe(201);
      const { id } = await payer.pays(1_000, { rail: "Ach" });
      await atRail(book, id);
      const { body: clock } = await book.put({ mode: "Manual" });
      const inAnHour = new Date(Date.parse(clock.now) + 3_600_000).toISOString();
      await book.advances({ to: inAnHour });
      expect(await inFlight(book)).toBe(0);
    });
  });

  describe("and accepted", async () => {
    const book = await forTheFile();

    it("is followed by a return that is requested later", async () => {
      const { world } = book;
      const payer = await world.payerNamed("Payroll");
      const { id } = await payer.pays(1_000, { rail: "Ach", submit: false });
      const simulated = `/v1/simulations/payment-orders/${id}`;
      expect((await book.post(`${simulated}/accept`, {})).status).toBe(200);
      expect((await book.post(`/v1/payment-orders/${id}/submit`)).status).toBe(200);
      await atRail(book, id);
      await book.put({ mode: "Manual" });
      expect((await book.post(`${simulated}/late-return`, { code: "R03" })).status).toBe(200);
      for (let day = 0; day < 6; day += 1) {
        await book.advances({ nextBankingDay: true });
      }
      expect((await world.reaches(id, (order) => order.return !== null)).return).toMatchObject({
        code: "R03",
      });
    });
  });
});

describe("a clock that becomes Instant", async () => {
  const book = await forTheFile();

  it("ends every wait for a time of the book: windows, settlements, inquiries, return windows", async () => {
    const { world } = book;
    const payer = await world.payerNamed("Payroll");
    // Friday before a holiday, 10:00 in New York: Ach settles on Tuesday.
    await book.put({ mode: "Manual", startAt: "2038-02-12T15:00:00.000Z" });
    const inFlight = await payer.pays(1_000, { rail: "Ach" });
    const timedOut = await payer.pays(2_000, { rail: "Ach", to: "400000" });
    const returnedIn60Days = await payer.collects(3_000, { rail: "Ach", to: "200010" });
    for (const { id } of [inFlight, timedOut, returnedIn60Days]) {
      await world.reaches(id, ({ status }) => status === "Processing");
    }
    await book.advances({ to: "2038-02-12T22:30:00.000Z" });
    const afterCutoff = await payer.pays(4_000, { rail: "Ach" });
    await world.reaches(afterCutoff.id, ({ status }) => status === "Pending");

    await book.put({ mode: "Instant" });
    for (const { id } of [inFlight, timedOut, afterCutoff]) {
      expect((await world.comesToRest(id)).status).toBe("Completed");
    }
    const returned = await world.reaches(returnedIn60Days.id, (order) => order.return !== null);
    expect(returned.return).toMatchObject({ code: "R10" });
  });
});

it("an advance of another book is not found", async () => {
  const [mine, other] = [await openBook(), await openBook()];
  try {
    await mine.put({ mode: "Manual" });
    const { body } = await mine.advance({ nextBankingDay: true });
    expect((await other.world.get(`${path}/advances/${body.id}`)).status).toBe(404);
    expect((await mine.world.get(`${path}/advances/${newId("adv")}`)).status).toBe(404);
  } finally {
    await Promise.all([mine.stop(), other.stop()]);
  }
});
