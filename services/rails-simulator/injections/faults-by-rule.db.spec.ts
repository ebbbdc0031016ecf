/** What rails do with payments on which rules of testers act. */
import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { poisonBook } from "../../../test/stack/messages/poisoned-book.ts";
import {
  inquiryOf,
  newRailEvents,
  submissionOf,
  testEncryptionKeys,
} from "../../../test/stack/services/rails.ts";
import { givenBook, type RuleBook, ruleDesk } from "../../../test/stack/services/rules.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { type InjectionId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { createLogger } from "../../platform/observability/logger.ts";
import { RailAdapters, type Submission } from "../instructions/rail-adapter.ts";
import { RouteInstructions } from "../instructions/route-instructions.consumer.ts";
import { publishDue } from "../instructions/run-due-steps.worker.ts";
import { nextDueOfBook } from "../clock/next-due.ts";
import { endRule } from "../rules/store/rules.ts";
import { EndOutages } from "./end-outages.worker.ts";

const cipher = new SecretCipher(testEncryptionKeys);
const bank = await forThisFile(openFreshUnits("rails"));
const { handler, create, rail, outages, rechecks } = ruleDesk(bank, cipher);
const inAMinute = () => new Date(Date.now() + 60_000);

let qa: RuleBook;
beforeEach(async () => {
  qa = givenBook();
  await bank.takeMessages();
});

const credit = (data: Partial<Submission["data"]> = {}, accountNumber?: string) =>
  submissionOf(qa.book, { rail: "Ach", ...data }, accountNumber);
const handOff = (...submissions: Submission[]) =>
  bank.units.run((unit) => rail.take({ submissions, inquiries: [] }, unit));
const routing = new RouteInstructions(new RailAdapters({ Test: rail }));
const inquire = (about: Submission) => bank.units.run((unit) => routing.route([inquiryOf(about)], unit));
const publishAll = () => bank.units.run((unit) => publishDue(unit, cipher, inAMinute()));
const published = () => newRailEvents(bank);

async function reasonOf({ data: { orderId } }: Submission) {
  const [row] = await bank.database.sql<{ reason: string }>(
    "select reason from instruction where order_id = $1",
    [uuidOf(orderId)],
  );
  return row?.reason;
}

describe("a payment on which a rule acts", () => {
  it.each([
    ["Return", { code: "R02" }, ["1 accepted", "2 returned R02"]],
    ["LateReturn", { code: "R02" }, ["1 accepted", "2 settled", "3 returned R02"]],
    ["Reject", {}, ["1 failed rail_rejected"]],
    ["LostAcknowledgement", {}, ["1 settled"]],
    ["DuplicateFacts", {}, ["1 accepted", "1 accepted", "2 settled", "2 settled"]],
  ] as const)("meets its %s", async (fault, more, events) => {
    await create({ fault, ...more }, qa);
    const payment = credit();
    await handOff(payment);
    await publishAll();
    expect(await published()).toEqual(events);
    expect(await reasonOf(payment)).toBe("Rule");
  });

  it("follows the rule, not its magic number", async () => {
    await create({ code: "R02" }, qa);
    await handOff(credit({}, "100003"));
    await publishAll();
    expect(await published()).toEqual(["1 accepted", "2 returned R02"]);
  });

  it("follows its magic number if the rule's share leaves it out", async () => {
    await create({ code: "R02", share: 1e-9 }, qa);
    await handOff(credit({}, "100003"));
    await publishAll();
    expect(await published()).toEqual(["1 accepted", "2 returned R03"]);
  });
});

describe("a message that got lost", () => {
  it.each(["is used up", "has ended"])("stays lost when it comes again after its rule %s", async (how) => {
    const count = how === "is used up" ? { count: 1 } : {};
    const { id } = await create({ fault: "Timeout", then: "NeverArrived", ...count }, qa);
    const lost = credit();
    await handOff(lost);
    if (how === "has ended") await handler.end({ id }, qa);
    // By an instance that has not read the rules yet.
    const other = ruleDesk(bank, cipher).rail;
    await bank.units.run((unit) => other.take({ submissions: [lost], inquiries: [] }, unit));
    await publishAll();
    expect(await published()).toEqual([]);
    await handOff({ ...lost, id: newUuid() });
    await publishAll();
    expect(await published()).toEqual(["1 accepted", "2 settled"]);
  });
});

describe("a rail that is out", () => {
  const inFlight = async () => {
    await handOff(credit());
    expect(await published()).toEqual(["1 accepted"]);
  };

  it("takes nothing and says nothing until the outage is ended, and then goes on", async () => {
    await inFlight();
    const { id } = await create({ fault: "Outage" }, qa);
    const payment = credit();
    await handOff(payment);
    await publishAll();
    expect(await published()).toEqual([]);
    await handler.end({ id }, qa);
    await publishAll();
    expect((await published()).toSorted()).toEqual(["1 accepted", "2 settled", "2 settled"]);
  });

  const openWorker = () =>
    new EndOutages(
      bank.database,
      bank.units,
      rechecks,
      new Metrics("rails"),
      createLogger("rails", "silent"),
    );

  it("goes on by itself at the outage's until", async () => {
    const until = new Date(Date.now() + 3_600_000);
    await create({ fault: "Outage", until: until.toISOString() }, qa);
    await handOff(credit());
    const worker = openWorker();
    expect(await nextDueOfBook(bank.database.sql, qa.book)).toEqual(until);
    expect(await worker.tick(new Date(until.getTime() - 1))).toBe(0);
    expect(await published()).toEqual([]);
    expect(await worker.tick(until)).toBe(1);
    expect(await published()).toEqual(["1 accepted"]);
    expect(await worker.tick(until)).toBe(0);
  });

  it("has an entry of its end at its until in the log, once", async () => {
    const until = new Date(Date.now() + 3_600_000);
    const { id } = await create({ fault: "Outage", until: until.toISOString() }, qa);
    const worker = openWorker();
    await worker.tick(until);
    await worker.tick(until);
    const logged = await bank.database.sql(
      `select actor, book_time, details from simulation_log where injection_id = $1 and kind = 'InjectionEnded'`,
      [uuidOf(id)],
    );
    expect(logged).toEqual([{ actor: null, book_time: until, details: { fault: "Outage", code: null } }]);
  });

  it("goes on in every other book while the rules of one can't be ended", async () => {
    const until = new Date(Date.now() + 3_600_000);
    const outage = { fault: "Outage", until: until.toISOString() } as const;
    const poisoned = givenBook();
    await create(outage, poisoned);
    await create({ ...outage, until: new Date(until.getTime() + 1).toISOString() }, qa);
    await handOff(credit(), submissionOf(poisoned.book, { rail: "Ach" }));
    const cure = await poisonBook(bank.adminUrl, "rails.injection", poisoned.book);
    const worker = openWorker();
    const at = (seconds: number) => new Date(until.getTime() + seconds * 1_000);
    await worker.tick(at(1));
    expect((await bank.takeMessages()).map(({ book }) => book)).toEqual([qa.book]);
    expect(await worker.tick(at(2))).toBe(0);
    await cure();
    expect(await worker.tick(at(6))).toBe(1);
    expect((await bank.takeMessages()).map(({ book }) => book)).toEqual([poisoned.book]);
  });

  it("is still out if its end is rolled back and another rule is made after that", async () => {
    const { id } = await create({ fault: "Outage" }, qa);
    await handOff(credit());
    const undone = bank.units.run(async (unit) => {
      await endRule(unit.sql, qa.book, id as InjectionId, "qa");
      await outages.end(unit, qa.book, { silent: [], limit: 9 });
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    await create({ match: { rail: "Rtp" }, fault: "Reject" }, qa);
    await handOff(credit());
    expect(await published()).toEqual([]);
  });

  it("lets the next rule act on what it takes after the outage", async () => {
    await create({ code: "R02" }, qa);
    const { id } = await create({ fault: "Outage" }, qa);
    await handOff(credit());
    await handler.end({ id }, qa);
    await publishAll();
    expect(await published()).toEqual(["1 accepted", "2 returned R02"]);
  });

  it("withholds a payment that got lost before the outage and is sent again in it, and takes it after that", async () => {
    await create({ fault: "Timeout", then: "NeverArrived" }, qa);
    const lost = credit();
    await handOff(lost);
    const { id } = await create({ fault: "Outage" }, qa);
    await inquire(lost);
    await handOff(lost);
    await handOff({ ...lost, id: newUuid() });
    await publishAll();
    await inquire(lost);
    expect(await published()).toEqual([]);
    await handler.end({ id }, qa);
    await publishAll();
    expect(await published()).toEqual(["1 accepted", "2 settled"]);
    await handOff(lost);
    expect(await published()).toEqual([]);
  });

  it("says that it has not got a payment that is lost once the outage is over", async () => {
    await create({ fault: "Timeout", then: "NeverArrived" }, qa);
    const lost = credit();
    await handOff(lost);
    const { id } = await create({ fault: "Outage" }, qa);
    await handOff(lost);
    await handler.end({ id }, qa);
    await inquire(lost);
    expect(await published()).toEqual(["unknown"]);
  });

  it.each([
    ["has timed out", "Timeout"],
    ["has settled", "LostAcknowledgement"],
  ] as const)("does not answer when it is asked about a payment that %s", async (_what, fault) => {
    await create({ fault }, qa);
    const asked = credit();
    await handOff(asked);
    await publishAll();
    await published();
    const { id } = await create({ fault: "Outage" }, qa);
    await inquire(asked);
    expect(await published()).toEqual([]);
    await handler.end({ id }, qa);
    await inquire(asked);
    expect(await published()).toEqual(["1 settled"]);
  });

  it("is out for its own book, and no other rail", async () => {
    await create({ fault: "Outage" }, qa);
    await handOff(credit({ rail: "Rtp" }), submissionOf(givenBook().book, { rail: "Rtp" }));
    expect(await published()).toEqual(["2 settled", "2 settled"]);
  });
});
