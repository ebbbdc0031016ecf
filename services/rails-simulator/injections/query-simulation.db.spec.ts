import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { readsOf } from "../../../test/stack/database/plans.ts";
import { submissionOf, testEncryptionKeys } from "../../../test/stack/services/rails.ts";
import { givenBook, refusalOf, type RuleBook, ruleDesk } from "../../../test/stack/services/rules.ts";
import { asAdmin } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import type { SimulatedRails } from "../../../contracts/http/sandbox/simulated-rails.ts";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { ListSimulationLog } from "../../../contracts/messages/injections.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { listLogEntries } from "../simulation-log/store/simulation-log.ts";
import { QuerySimulation } from "./query-simulation.handler.ts";
import { SimulateInstructionHandler } from "./simulate-instruction.handler.ts";
import { readRailLoads } from "./store/simulated-state.ts";

const cipher = new SecretCipher(testEncryptionKeys);
const bank = await forThisFile(openFreshUnits("rails"));
const { handler, create, rail, orders, givenOrder } = ruleDesk(bank, cipher);
const console = new QuerySimulation(orders, bank.database);
const calls = new SimulateInstructionHandler(orders, bank.database, bank.units, cipher);

let qa: RuleBook;
beforeEach(() => {
  qa = givenBook();
});

const handOff = (id: ReturnType<typeof newId<"po">>) =>
  bank.units.run((unit) =>
    rail.take({ submissions: [submissionOf(qa.book, { orderId: id, rail: "Ach" })], inquiries: [] }, unit),
  );
const log = (query: object = {}) => console.log(ListSimulationLog.data.parse(query), qa);
const setClock = (standsAt: string) =>
  saveClock(bank.database.sql, qa.book, {
    mode: "Manual",
    leadMs: 1,
    standsAt: new Date(standsAt),
    sequence: 1,
  });

describe("what the simulator does with an order", () => {
  it("before the hand-off is nothing, or what a call has stored", async () => {
    const { id } = givenOrder({});
    const nothing = {
      paymentOrderId: id,
      state: "NotHandedOff",
      reason: null,
      injectionId: null,
      kept: null,
      handedOffAt: null,
      railReference: null,
      silenced: false,
      steps: [],
    };
    expect(await console.order({ id }, qa)).toEqual(nothing);
    await calls.simulate({ orderId: id, action: "return", code: "R02" }, qa);
    expect(await console.order({ id }, qa)).toEqual({ ...nothing, kept: { action: "return", code: "R02" } });
  });

  it("after it is shown step by step, with the rule that acted", async () => {
    await setClock("2038-02-11T15:00:00.000Z");
    const rule = await create({ code: "R02" }, qa);
    const { id } = givenOrder({});
    await handOff(id);
    expect(await console.order({ id }, qa)).toMatchObject({
      state: "AtRail",
      reason: "Rule",
      injectionId: rule.id,
      handedOffAt: "2038-02-11T15:00:00.000Z",
      steps: [
        { number: 1, event: "Accepted", dueAt: expect.anything(), reportedAt: "2038-02-11T15:00:00.000Z" },
        { number: 2, event: "Returned", code: "R02", dueAt: expect.anything(), reportedAt: null },
      ],
    });
  });

  it("shows a timeline only reported events, and only in the order's own book", async () => {
    await setClock("2038-02-11T15:00:00.000Z");
    await create({ code: "R02" }, qa);
    const { id } = givenOrder({});
    expect(await console.events({ orderId: id }, qa)).toEqual({ submittedAt: null, events: [] });
    await handOff(id);
    const at = "2038-02-11T15:00:00.000Z";
    expect(await console.events({ orderId: id }, qa)).toEqual({
      submittedAt: at,
      events: [{ event: "Accepted", code: null, reference: null, at }],
    });
    expect(await console.events({ orderId: id }, givenBook())).toEqual({ submittedAt: null, events: [] });
  });

  it("is by a call once a call has changed it", async () => {
    const { id } = givenOrder({ status: "Processing" });
    await handOff(id);
    expect((await console.order({ id }, qa)).reason).toBe("Success");
    await calls.simulate({ orderId: id, action: "return" }, qa);
    expect((await console.order({ id }, qa)).reason).toBe("Call");
  });

  it("is not found for an order of another book", async () => {
    expect(await refusalOf(console.order({ id: newId("po") }, qa))).toEqual(["not_found", undefined]);
  });
});

describe("what the rails do", () => {
  const ach = ({ data }: SimulatedRails) => data.find((each) => each.rail === "Ach");

  it("is their window and next cutoff on the book's clock", async () => {
    await setClock("2038-02-12T22:00:00.000Z");
    const rails = await console.rails({}, qa);
    expect(rails.now).toBe("2038-02-12T22:00:00.000Z");
    expect(ach(rails)).toMatchObject({ open: false, cutoffAt: null, opensAt: "2038-02-16T05:00:00.000Z" });
    await setClockLater("2038-02-16T15:00:00.000Z");
    expect(ach(await console.rails({}, qa))).toMatchObject({
      open: true,
      cutoffAt: "2038-02-16T21:45:00.000Z",
      opensAt: null,
    });
  });

  it("in an Instant book are always open", async () => {
    const { data } = await console.rails({}, qa);
    expect(data.map(({ open, cutoffAt }) => [open, cutoffAt])).toEqual(Array(5).fill([true, null]));
  });

  it("is what is in flight, what an outage withholds, and which rules act", async () => {
    await setClock("2038-02-11T15:00:00.000Z");
    const rule = await create({ match: { rail: "Ach" }, code: "R02", count: 1 }, qa);
    await create({ match: { rail: "Rtp" }, fault: "Reject" }, qa);
    await handOff(newId("po"));
    const next = await create({ code: "R03" }, qa);
    expect(ach(await console.rails({}, qa))).toMatchObject({
      inFlight: 1,
      held: 0,
      outageId: null,
      injectionIds: [next.id],
    });
    expect((await handler.get({ id: rule.id }, qa)).status).toBe("Used");
    const outage = await create({ fault: "Outage" }, qa);
    await handOff(newId("po"));
    expect(ach(await console.rails({}, qa))).toMatchObject({ inFlight: 0, held: 1, outageId: outage.id });
  });
});

const setClockLater = (standsAt: string) =>
  saveClock(bank.database.sql, qa.book, {
    mode: "Manual",
    leadMs: 1,
    standsAt: new Date(standsAt),
    sequence: 2,
  });

describe("the log", () => {
  it("has rules that were made, that acted and were ended, and calls; newest first, in pages", async () => {
    const { id: orderId } = givenOrder({ status: "Processing" });
    const { id } = await create({ code: "R02" }, qa);
    await handOff(orderId);
    await calls.simulate({ orderId, action: "settle" }, qa);
    await handler.end({ id }, qa);
    const first = await log({ limit: 3 });
    const second = await log({ limit: 3, cursor: first.nextCursor });
    expect([...first.data, ...second.data].map(({ kind, by }) => [kind, by])).toEqual([
      ["InjectionEnded", "qa"],
      ["PaymentOrderSimulated", "qa"],
      ["InjectionApplied", null],
      ["InjectionCreated", "qa"],
    ]);
    expect((await log({ paymentOrderId: orderId })).data).toMatchObject([
      { kind: "PaymentOrderSimulated", details: { action: "settle", code: null, effect: "Applied" } },
      { kind: "InjectionApplied", injectionId: id, details: { fault: "Return", code: "R02" } },
    ]);
  });

  it("is of its own book only, and dated on its clock", async () => {
    await setClock("2038-02-11T15:00:00.000Z");
    await create({}, qa);
    expect((await log()).data).toMatchObject([{ bookTime: "2038-02-11T15:00:00.000Z" }]);
    qa = givenBook();
    expect((await log()).data).toEqual([]);
  });
});

it("a live key reads none of it", async () => {
  const live = givenBook("Live");
  for (const act of [
    () => console.order({ id: newId("po") }, live),
    () => console.rails({}, live),
    () => console.log(ListSimulationLog.data.parse({}), live),
  ]) {
    expect(await refusalOf(act())).toEqual(["simulation_requires_test_key", undefined]);
  }
});

describe("among 10,000 entries and payments of other books", () => {
  it("the log and the loads read those of the book", async () => {
    await setClock("2038-02-11T15:00:00.000Z");
    await create({}, qa);
    await handOff(newId("po"));
    const other = "gen_random_uuid()";
    await asAdmin(
      bank.adminUrl,
      `insert into rails.simulation_log (book_id, entry_id, kind, details, book_time)
       select ${other}, ${other}, 'ClockSet', '{}', now() from generate_series(1, 10000)`,
      `insert into rails.instruction (order_id, book_id, rail, next_due_at, on_book_clock)
       select ${other}, ${other}, 'Ach', now(), n % 2 = 0 from generate_series(1, 10000) n`,
      // Of another rail.
      `insert into rails.undelivered_instruction (order_id, book_id, kind, message_id, submission)
       select gen_random_uuid(), '${uuidOf(qa.book)}', 'Held', gen_random_uuid(),
         jsonb_build_object('id', gen_random_uuid(), 'data', jsonb_build_object('rail', 'Wire'))
       from generate_series(1, 1000)`,
    );
    const rows: number[] = [];
    const explained = async (text: string, params?: readonly unknown[]) => {
      rows.push((await readsOf(bank.database.sql, text, params)).rows);
      return [];
    };
    await listLogEntries(explained, qa.book, {
      before: uuidOf(newId("evt")),
      limit: 25,
      orderId: undefined,
    });
    await readRailLoads(explained, qa.book, ["Ach"]);
    expect(rows).toEqual([2, 1]);
  });
});
