import { beforeEach, describe, expect, it } from "vitest";
import { type BookId, bookIdOf, newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import { checkDigitOf } from "../../../contracts/virtual-number.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import {
  inquiryOf,
  newRailEvents,
  submissionOf,
  testEncryptionKeys,
} from "../../../test/stack/services/rails.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { Fault } from "./domain/faults.ts";
import { RailAdapters, type Submission } from "./rail-adapter.ts";
import { RailOutages } from "./rail-outages.ts";
import { RouteInstructions } from "./route-instructions.consumer.ts";
import { publishDue } from "./run-due-steps.worker.ts";
import { SimulatedRail } from "./simulated-rail.ts";

const bank = await forThisFile(openFreshUnits("rails"));
const cipher = new SecretCipher(testEncryptionKeys);
/** What the rules of this file's books say. */
let faultOf: (submission: Submission) => Fault | undefined = () => undefined;
const rail = new SimulatedRail(cipher, {
  assignFaults: (submissions) =>
    Promise.resolve(
      new Map(
        submissions.flatMap((submission) => {
          const fault = faultOf(submission);
          return fault === undefined ? [] : [[submission.data.orderId, fault] as const];
        }),
      ),
    ),
});
const outages = new RailOutages(rail);
const routing = new RouteInstructions(new RailAdapters({ Test: rail }));

/** A Manual book whose time is Monday 2038-02-08, 10:00 in New York. */
let book: BookId;
let sequence = 0;
const isNow = (time: string) =>
  bank.units.run(({ sql }) =>
    saveClock(sql, book, { mode: "Manual", leadMs: 0, standsAt: new Date(time), sequence: ++sequence }),
  );
const monday = "2038-02-08T15:00:00.000Z";
const tuesdayMorning = "2038-02-09T13:30:00.000Z";
const thursdayMorning = "2038-02-11T13:30:00.000Z";

beforeEach(async () => {
  book = bookIdOf(newId("ten"), "Test");
  faultOf = () => undefined;
  await bank.takeMessages();
  await isNow(monday);
});

const payment = (on: Rail = "Ach", data: Partial<Submission["data"]> = {}) =>
  submissionOf(book, { rail: on, ...data });
const submit = (...submissions: Submission[]) =>
  bank.units.run((unit) => rail.take({ submissions, inquiries: [] }, unit));
const inquire = (...about: Submission[]) =>
  bank.units.run((unit) => routing.route(about.map(inquiryOf), unit));
/** What the rail says when it is `time` in the book. */
async function saysAt(time: string): Promise<string[]> {
  await isNow(time);
  await bank.units.run((unit) => publishDue(unit, cipher, new Date()));
  return newRailEvents(bank);
}
const says = () => newRailEvents(bank);
async function nextDueAt(): Promise<string | undefined> {
  const [row] = await bank.database.sql<{ at: Date | null }>(
    "select min(next_due_at) as at from instruction where book_id = $1",
    [uuidOf(book)],
  );
  return row?.at?.toISOString();
}
async function movements(): Promise<string[]> {
  const rows = await bank.database.sql<{ line: string }>(
    `select kind || ' ' || side || ' ' || amount_cents as line
     from bank_movement where book_id = $1 order by occurred_at, number`,
    [uuidOf(book)],
  );
  return rows.map(({ line }) => line);
}

describe("a payment of a book with a clock", () => {
  it("settles when its rail's rule says, on the banking day from which return windows count", async () => {
    await submit(payment());
    expect(await says()).toEqual(["1 accepted"]);
    expect(await nextDueAt()).toBe(tuesdayMorning);
    expect(await saysAt("2038-02-09T13:29:59.999Z")).toEqual([]);
    await isNow(tuesdayMorning);
    await bank.units.run((unit) => publishDue(unit, cipher, new Date()));
    expect(await bank.takeMessages()).toMatchObject([
      {
        type: "rails.instruction-settled.v1",
        data: { occurredAt: tuesdayMorning, settlementDate: "2038-02-09" },
      },
    ]);
    expect(await movements()).toEqual(["Settlement Out 4000"]);
  });

  it("settles once its chain has made it final", async () => {
    await submit(payment("Usdc", { counterpartyRoutingNumber: "solana" }));
    expect(await nextDueAt()).toBe("2038-02-08T15:00:08.000Z");
    await saysAt("2038-02-08T15:00:08.000Z");
    await submit(payment("Usdc", { counterpartyRoutingNumber: "base" }));
    expect(await nextDueAt()).toBe("2038-02-08T15:16:08.000Z");
  });

  it("is settled in the order of the hand-offs, not of the order ids", async () => {
    const ids = [newId("po"), newId("po"), newId("po")] as const;
    // Each submission has a later message id than the one before.
    const submissions = [ids[1], ids[2], ids[0]].map((orderId) => payment("Ach", { orderId }));
    await submit(submissions[0]!, submissions[1]!);
    await submit(submissions[2]!);
    const said = async () => (await bank.takeMessages()).map(({ subject }) => subject);
    expect(await said()).toEqual([ids[1], ids[2], ids[0]]);
    await isNow(tuesdayMorning);
    await bank.units.run((unit) => publishDue(unit, cipher, new Date()));
    expect(await said()).toEqual([ids[1], ids[2], ids[0]]);
  });

  it("to a virtual account comes in when it settles", async () => {
    const originator = { tenantId: newId("ten"), name: "Operating" };
    const number = `1234567890123456${checkDigitOf("1234567890123456")}`;
    await submit(submissionOf(book, { rail: "Rtp", originator }, number));
    expect(await says()).toEqual(["1 accepted"]);
    await isNow("2038-02-08T15:00:03.000Z");
    await bank.units.run((unit) => publishDue(unit, cipher, new Date()));
    expect((await bank.takeMessages()).map(({ type }) => type)).toEqual([
      "rails.instruction-settled.v1",
      "rails.inbound-received.v1",
    ]);
  });
});

describe("a time-out", () => {
  it("is silent until it is asked, and then settles by its rule", async () => {
    faultOf = () => ({ kind: "Timeout", then: "Settle" });
    const asked = payment();
    await submit(asked);
    expect([await says(), await nextDueAt()]).toEqual([[], undefined]);
    await inquire(asked);
    expect([await says(), await nextDueAt()]).toEqual([["1 accepted"], tuesdayMorning]);
    await inquire(asked);
    expect(await says()).toEqual(["1 accepted"]);
    expect(await saysAt(tuesdayMorning)).toEqual(["2 settled"]);
    expect(await movements()).toEqual(["Settlement Out 4000"]);
  });

  it("says when it is asked late that it has settled long since", async () => {
    faultOf = () => ({ kind: "Timeout", then: "Settle" });
    const asked = payment();
    await submit(asked);
    await isNow(thursdayMorning);
    await inquire(asked);
    expect([await says(), await nextDueAt()]).toEqual([["2 settled"], undefined]);
  });

  it("fails when it is asked, and no money moves", async () => {
    faultOf = () => ({ kind: "Timeout", then: "Fail" });
    const asked = payment("Rtp");
    await submit(asked);
    expect(await saysAt(thursdayMorning)).toEqual([]);
    await inquire(asked);
    expect(await says()).toEqual(["1 failed AC04"]);
    expect(await movements()).toEqual([]);
  });

  it("has never arrived: the same instruction goes out again and succeeds once", async () => {
    faultOf = () => ({ kind: "Timeout", then: "NeverArrived" });
    const lost = payment("Wire");
    await submit(lost);
    // The same message once more is not a second instruction.
    await submit(lost);
    expect([await says(), await nextDueAt()]).toEqual([[], undefined]);
    await inquire(lost);
    expect(await says()).toEqual(["unknown"]);
    await submit({ ...lost, id: newUuid() });
    expect(await says()).toEqual(["1 accepted"]);
    expect(await saysAt("2038-02-08T15:02:00.000Z")).toEqual(["2 settled"]);
    expect(await movements()).toEqual(["Settlement Out 4000"]);
  });
});

describe("an outage", () => {
  it("keeps payments and answers from the rail, and hands them on when it ends", async () => {
    const inFlight = payment();
    await submit(inFlight);
    await says();
    faultOf = ({ data }) => (data.rail === "Ach" ? { kind: "Outage" } : undefined);
    await bank.units.run((unit) => outages.begin(unit, book, { rail: "Ach" }));
    const [held, second, elsewhere] = [payment(), payment(), payment("Wire")];
    await submit(held, second, elsewhere);
    await submit({ ...held, id: newUuid() });
    await inquire(inFlight, held);
    expect(await says()).toEqual(["1 accepted"]);
    expect(await saysAt(tuesdayMorning)).toEqual(["2 settled"]);
    expect(await movements()).toEqual(["Settlement Out 4000"]);

    // Another outage of the rail goes on: nothing is said.
    await bank.units.run((unit) => outages.end(unit, book, { silent: [{ rail: "Ach" }], limit: 9 }));
    expect(await saysAt(tuesdayMorning)).toEqual([]);

    faultOf = () => undefined;
    await bank.units.run((unit) => outages.end(unit, book, { silent: [], limit: 9 }));
    expect((await bank.takeMessages()).map(({ subject }) => subject)).toEqual([
      held.data.orderId,
      second.data.orderId,
    ]);
    expect(await saysAt(tuesdayMorning)).toEqual(["2 settled"]);
    // They settle by the rule of the time at which the rail got them.
    expect(await nextDueAt()).toBe("2038-02-10T13:30:00.000Z");
    expect(await saysAt("2038-02-10T13:30:00.000Z")).toEqual(["2 settled", "2 settled"]);
  });
});

describe("what the rail says", () => {
  it("never includes an acceptance whose acknowledgement is lost, not even after an inquiry", async () => {
    faultOf = () => ({ kind: "LostAcknowledgement" });
    const lost = payment();
    await submit(lost);
    await inquire(lost);
    expect(await says()).toEqual([]);
    expect(await saysAt(tuesdayMorning)).toEqual(["1 settled"]);
  });

  it("comes twice with the same data, and the money moves once", async () => {
    faultOf = () => ({ kind: "DuplicateFacts" });
    await submit(payment());
    const [first, second] = await bank.takeMessages();
    expect(second?.data).toEqual(first?.data);
    expect(second?.id).not.toBe(first?.id);
    expect(await saysAt(tuesdayMorning)).toEqual(["2 settled", "2 settled"]);
    expect(await movements()).toEqual(["Settlement Out 4000"]);
  });

  it("comes late", async () => {
    faultOf = () => ({ kind: "Delay", delaySeconds: 60 });
    await submit(payment());
    expect(await says()).toEqual([]);
    expect(await saysAt("2038-02-08T15:01:00.000Z")).toEqual(["1 accepted"]);
    expect(await saysAt("2038-02-09T13:31:00.000Z")).toEqual(["2 settled"]);
  });

  it("is the return before its settlement, and the money goes out and comes back", async () => {
    faultOf = () => ({ kind: "OutOfOrder", code: "R02" });
    await submit(payment());
    expect(await saysAt(tuesdayMorning)).toEqual(["1 accepted", "3 returned R02"]);
    expect(await saysAt("2038-02-09T13:31:00.000Z")).toEqual(["2 settled"]);
    expect((await movements()).sort()).toEqual(["Return In 4000", "Settlement Out 4000"]);
  });

  it("is the same return again under another trace number, and the money comes back twice", async () => {
    faultOf = () => ({ kind: "DuplicateReturn", code: "R02" });
    await submit(payment());
    await saysAt(tuesdayMorning);
    await isNow("2038-02-11T13:31:00.000Z");
    await bank.units.run((unit) => publishDue(unit, cipher, new Date()));
    const [first, again] = await bank.takeMessages();
    expect([first?.data, again?.data]).toMatchObject([{ code: "R02" }, { code: "R02" }]);
    const traces = [first, again].map(
      (event) => (event as { data: { traceNumber: string } }).data.traceNumber,
    );
    expect(new Set(traces).size).toBe(2);
    expect(await movements()).toEqual(["Settlement Out 4000", "Return In 4000", "Return In 4000"]);
  });

  it("is a notice of change with the corrected data, and no money moves", async () => {
    const correctedData = { routingNumber: "790001102", accountNumber: cipher.encrypt("987654321") };
    faultOf = () => ({ kind: "NoticeOfChange", code: "C03", correctedData });
    await submit(payment());
    await saysAt(tuesdayMorning);
    await isNow(thursdayMorning);
    await bank.units.run((unit) => publishDue(unit, cipher, new Date()));
    expect(await bank.takeMessages()).toMatchObject([
      { type: "rails.notice-of-change.v1", data: { number: 3, code: "C03", correctedData } },
    ]);
    expect(await movements()).toEqual(["Settlement Out 4000"]);
  });

  it.each([
    ["at 08:30 of the second banking day: the window of its code is open", thursdayMorning, [undefined]],
    ["and is not flagged if that is seen moments later", "2038-02-11T13:30:00.080Z", [undefined]],
    ["twice, of which the second comes after the window", "2038-02-11T15:00:00.000Z", [undefined, true]],
  ])("is a return %s", async (_when, time, expected) => {
    const kind = expected.length === 1 ? "LateReturn" : "DuplicateReturn";
    faultOf = () => ({ kind, code: "R02" });
    await submit(payment());
    await saysAt(tuesdayMorning);
    await isNow(time);
    await bank.units.run((unit) => publishDue(unit, cipher, new Date()));
    const flags = (await bank.takeMessages()).map(
      ({ data }) => (data as { afterWindow?: boolean }).afterWindow,
    );
    expect(flags).toEqual(expected);
  });
});
