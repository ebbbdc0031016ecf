import { describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { testEncryptionKeys } from "../../../test/stack/services/rails.ts";
import { givenBook, refusalOf, ruleDesk } from "../../../test/stack/services/rules.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { CreateInjection } from "../../../contracts/messages/injections.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { RuleRequest } from "./domain/new-rule.ts";

const cipher = new SecretCipher(testEncryptionKeys);
const bank = await forThisFile(openFreshUnits("rails"));
const { handler: rules, givenOrder, create, list } = ruleDesk(bank, cipher);

describe("a rule is refused, and nothing is written,", () => {
  it.each<[string, Partial<RuleRequest>, string, string]>([
    ["for a code that does not exist", { code: "R99" }, "simulation_not_applicable", "/code"],
    ["for a code of another rail", { code: "AC04" }, "simulation_not_applicable", "/code"],
    [
      "for a code of another direction",
      { match: { rail: "Ach", direction: "Credit" }, code: "R01" },
      "simulation_not_applicable",
      "/code",
    ],
    ["for a code that is not yet in force", { code: "R90" }, "simulation_not_applicable", "/code"],
    [
      "for a fault of another rail",
      { match: { rail: "Rtp" }, fault: "Return" },
      "simulation_not_applicable",
      "/fault",
    ],
    [
      "for an ACH payment that is sent back",
      { match: { rail: "Ach" }, fault: "SentBack" },
      "simulation_not_applicable",
      "/fault",
    ],
    [
      "for a wire that is sent back with a code",
      { match: { rail: "Wire" }, fault: "SentBack", code: "R03" },
      "simulation_not_applicable",
      "/code",
    ],
    [
      "for an unmatched return of a wire",
      { match: { rail: "Wire" }, fault: "UnmatchedReturn" },
      "simulation_not_applicable",
      "/fault",
    ],
    [
      "for an unmatched return with a code of another direction",
      { match: { rail: "Ach", direction: "Credit" }, fault: "UnmatchedReturn", code: "R01" },
      "simulation_not_applicable",
      "/code",
    ],
    ["for a Book transfer", { match: { rail: "Book" } }, "simulation_not_applicable", "/match/rail"],
    [
      "for a direction that the rail lacks",
      { match: { rail: "Wire", direction: "Debit" }, fault: "Reject" },
      "simulation_not_applicable",
      "/match/direction",
    ],
    ["with then, but without a Timeout", { then: "Fail" }, "invalid_field", "/then"],
    ["with a delay, but without Delay", { delaySeconds: 5 }, "invalid_field", "/delaySeconds"],
    ["for a Delay without delaySeconds", { fault: "Delay" }, "missing_field", "/delaySeconds"],
    ["with a seed, but without a share", { seed: "s" }, "invalid_field", "/seed"],
    ["until a time that has passed", { until: "2020-01-01T00:00:00.000Z" }, "invalid_field", "/until"],
    ["for a notice of change without a code", { fault: "NoticeOfChange" }, "missing_field", "/code"],
    [
      "for a notice of change without what its code corrects",
      { fault: "NoticeOfChange", code: "C04" },
      "missing_field",
      "/correctedData/name",
    ],
    [
      "for a notice of change with what its code does not correct",
      { fault: "NoticeOfChange", code: "C04", correctedData: { name: "Ada", individualId: "7" } },
      "invalid_field",
      "/correctedData/individualId",
    ],
    [
      "for a notice of change with a routing number whose check digit is wrong",
      { fault: "NoticeOfChange", code: "C02", correctedData: { routingNumber: "790001103" } },
      "invalid_routing_number",
      "/correctedData/routingNumber",
    ],
    [
      "with corrected data, but without a notice of change",
      { correctedData: { name: "Ada" } },
      "invalid_field",
      "/correctedData",
    ],
    [
      "for an Outage of one account",
      { match: { externalId: "x" }, fault: "Outage" },
      "invalid_field",
      "/match",
    ],
    ["for an Outage of a share", { fault: "Outage", share: 0.5 }, "invalid_field", "/share"],
    ["for a counted Outage", { fault: "Outage", count: 2 }, "invalid_field", "/count"],
  ])("%s", async (_why, request, code, pointer) => {
    const qa = givenBook();
    expect(await refusalOf(create(request, qa))).toEqual([code, pointer]);
    expect((await list(qa)).data).toEqual([]);
  });

  it("for a fault of another rail, and the refusal names the rails that have it", async () => {
    const onRtp = (fault: "Return" | "SentBack") => create({ match: { rail: "Rtp" }, fault }, givenBook());
    await expect(onRtp("Return")).rejects.toThrow("Possible rails: Ach, SameDayAch.");
    await expect(onRtp("SentBack")).rejects.toThrow("Possible rails: Wire.");
  });

  it("for an unknown order, for a Book order by either name, and for an order that was handed off", async () => {
    const qa = givenBook();
    expect(await refusalOf(create({ match: { orderId: newId("po") } }, qa))).toEqual([
      "not_found",
      "/match/orderId",
    ]);
    const { id: orderId } = givenOrder({ rail: "Book", externalId: "transfer-1" });
    for (const match of [{ orderId }, { externalId: "transfer-1" }]) {
      expect(await refusalOf(create({ match, fault: "Reject" }, qa))).toEqual([
        "simulation_not_applicable",
        "/match",
      ]);
    }
    const { id } = givenOrder({ status: "Completed" });
    expect((await refusalOf(create({ match: { orderId: id } }, qa)))[0]).toBe("simulation_not_applicable");
    expect((await list(qa)).data).toEqual([]);
  });

  it("but not for an external id whose last order was handed off: another order may come", async () => {
    const externalId = "invoice-of-each-month";
    givenOrder({ rail: "Rtp", status: "Completed", externalId });
    expect((await create({ match: { externalId } }, givenBook())).status).toBe("Active");
  });

  it("for an order of the other direction", async () => {
    const { id } = givenOrder({ direction: "Debit" });
    expect(await refusalOf(create({ match: { orderId: id, direction: "Credit" } }, givenBook()))).toEqual([
      "simulation_not_applicable",
      "/match/direction",
    ]);
  });

  it("with a live key: making, reading, listing and ending", async () => {
    const live = givenBook("Live");
    const id = newId("inj");
    for (const act of [
      () => create({}, live),
      () => rules.get({ id }, live),
      () => list(live),
      () => Promise.resolve().then(() => rules.end({ id }, live)),
    ]) {
      expect(await refusalOf(act())).toEqual(["simulation_requires_test_key", undefined]);
    }
  });
});

it("R90 can be given from its first day on, on the book's clock", async () => {
  const qa = givenBook();
  const standsAt = new Date("2028-03-17T15:00:00.000Z");
  await saveClock(bank.database.sql, qa.book, {
    mode: "Manual",
    leadMs: 1,
    standsAt,
    sequence: 1,
  });
  expect((await create({ code: "R90" }, qa)).status).toBe("Active");
});

describe("the shape of a rule", () => {
  it.each<[string, object]>([
    ["without a match", { match: {} }],
    ["with a direction only", { match: { direction: "Credit" } }],
    ["that matches by two things", { match: { rail: "Ach", externalId: "x" } }],
    ["with a share of 0", { share: 0 }],
    ["with a share above 1", { share: 1.01 }],
    ["with an unknown fault", { fault: "Explosion" }],
    ["with a count of 0", { count: 0 }],
  ])("%s is refused, whoever sends the request", (_why, change) => {
    const request = { match: { rail: "Ach" }, fault: "Return", ...change };
    expect(CreateInjection.data.safeParse(request).success).toBe(false);
  });
});
