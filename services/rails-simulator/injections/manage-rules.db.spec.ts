import { describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { testEncryptionKeys } from "../../../test/stack/services/rails.ts";
import { givenBook, refusalOf, ruleDesk } from "../../../test/stack/services/rules.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { instantClock } from "../../../contracts/book-clock.ts";
import { newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { RuleRequest } from "./domain/new-rule.ts";

const cipher = new SecretCipher(testEncryptionKeys);
const bank = await forThisFile(openFreshUnits("rails"));
const { handler: rules, givenOrder, create, list } = ruleDesk(bank, cipher);

describe("a rule", () => {
  it("is active from its creation on, and says who made it", async () => {
    const qa = givenBook();
    const made = await create({ match: { rail: "Ach", direction: "Debit" }, code: "R01", count: 3 }, qa);
    expect(made).toMatchObject({
      status: "Active",
      match: { orderId: null, externalId: null, rail: "Ach", accountNumber: null, direction: "Debit" },
      fault: "Return",
      code: "R01",
      count: 3,
      applied: 0,
      shadowedBy: null,
      createdBy: "qa",
      endedBy: null,
    });
    expect(await rules.get({ id: made.id }, qa)).toEqual(made);
  });

  it("is listed newest first, page by page, in its own book only", async () => {
    const qa = givenBook();
    const made = [];
    for (const code of ["R02", "R03", "R04"]) made.push(await create({ code }, qa));
    const first = await rules.list({ limit: 2 }, qa);
    const second = await rules.list({ limit: 2, cursor: first.nextCursor ?? "" }, qa);
    expect([...first.data, ...second.data].map(({ code }) => code)).toEqual(["R04", "R03", "R02"]);
    expect([first.hasMore, second.hasMore]).toEqual([true, false]);
    const stranger = givenBook();
    expect((await list(stranger)).data).toEqual([]);
    expect(await refusalOf(rules.get({ id: made[0]?.id ?? "" }, stranger))).toEqual(["not_found", undefined]);
    expect(await refusalOf(rules.end({ id: made[0]?.id ?? "" }, stranger))).toEqual(["not_found", undefined]);
  });

  it("ends once, and says who ended it", async () => {
    const qa = givenBook();
    const { id } = await create({}, qa);
    await rules.end({ id }, { ...qa, caller: { ...qa.caller, principal: "lead" } });
    expect(await rules.get({ id }, qa)).toMatchObject({ status: "Ended", endedBy: "lead", createdBy: "qa" });
    expect(await refusalOf(rules.end({ id }, qa))).toEqual(["invalid_state_transition", undefined]);
  });

  it("ends at its until, on the book's clock", async () => {
    const qa = givenBook();
    const standsAt = new Date("2038-02-12T15:00:00.000Z");
    const clock = (at: Date, sequence: number) =>
      saveClock(bank.database.sql, qa.book, {
        ...instantClock,
        mode: "Manual",
        leadMs: 1,
        standsAt: at,
        sequence,
      });
    await clock(standsAt, 1);
    const { id } = await create({ until: "2038-02-12T15:00:00.001Z" }, qa);
    expect((await rules.get({ id }, qa)).status).toBe("Active");
    await clock(new Date(standsAt.getTime() + 1), 2);
    expect(await rules.get({ id }, qa)).toMatchObject({
      status: "Ended",
      endedBy: null,
      endedAt: "2038-02-12T15:00:00.001Z",
    });
    expect(await refusalOf(rules.end({ id }, qa))).toEqual(["invalid_state_transition", undefined]);
  });

  it("for an account number stores its keyed hash, and shows it masked", async () => {
    const qa = givenBook();
    const number = "000987654321";
    const made = await create({ match: { accountNumber: cipher.encrypt(number) } }, qa);
    expect(made.match.accountNumber).toBe("****4321");
    const rows = await bank.database.sql("select i.* from injection i where book_id = $1", [uuidOf(qa.book)]);
    expect(JSON.stringify(rows)).not.toContain(number);
    expect(JSON.stringify(rows)).toContain(cipher.hashes(number).get("k1"));
  });

  it("with corrected data shows its account number masked, too", async () => {
    const correctedData = { accountNumber: cipher.encrypt("000111222333"), routingNumber: "790001102" };
    const made = await create({ fault: "NoticeOfChange", code: "C03", correctedData }, givenBook());
    expect(made.correctedData).toEqual({
      accountNumber: "****2333",
      routingNumber: "790001102",
      name: null,
      transactionCode: null,
      individualId: null,
    });
  });

  it("is made once for one Idempotency-Key", async () => {
    const qa = { ...givenBook(), idempotency: { key: newUuid(), fingerprint: "f1" } };
    const first = await create({}, qa);
    expect(await create({}, qa)).toEqual(first);
    expect((await list(qa)).data).toHaveLength(1);
  });

  it("is logged when it is made and when it is ended: who did it, and when", async () => {
    const qa = givenBook();
    const { id } = await create({ code: "R03" }, qa);
    await rules.end({ id }, { ...qa, caller: { ...qa.caller, principal: "lead" } });
    const logged = await bank.database.sql(
      "select kind, actor, details from simulation_log where injection_id = $1 order by entry_id",
      [uuidOf(id)],
    );
    expect(logged).toEqual([
      { kind: "InjectionCreated", actor: "qa", details: { fault: "Return", code: "R03" } },
      { kind: "InjectionEnded", actor: "lead", details: { fault: "Return", code: "R03" } },
    ]);
  });
});

describe("a book with 5,000 rules", () => {
  const givenRules = async (until: string | null) => {
    const qa = givenBook();
    const { sql } = bank.database;
    await sql("insert into injection_book (book_id, rules, changes) values ($1, 5000, 5000)", [
      uuidOf(qa.book),
    ]);
    await sql(
      `insert into injection (book_id, injection_id, number, match_kind, match_value, acts_on, fault, until, created_by)
       select $1, gen_random_uuid(), n, 'Rail', 'Ach', '{Ach/Credit}', 'Return', $2, 'qa' from generate_series(1, 5000) n`,
      [uuidOf(qa.book), until],
    );
    return qa;
  };

  it("takes another one if their until has passed, and ends them", async () => {
    const qa = await givenRules("2020-01-01T00:00:00.000Z");
    expect(await create({}, qa)).toMatchObject({ status: "Active" });
    const counted = await bank.database.sql(
      "select status, ended_at, ended_by, count(*) as n from injection where book_id = $1 group by 1, 2, 3 order by 1",
      [uuidOf(qa.book)],
    );
    expect(counted).toEqual([
      { status: "Active", ended_at: null, ended_by: null, n: 1n },
      { status: "Ended", ended_at: new Date("2020-01-01T00:00:00.000Z"), ended_by: null, n: 5_000n },
    ]);
  });

  it("takes no other one while they are active", async () => {
    const qa = await givenRules(null);
    expect(await refusalOf(create({}, qa))).toEqual(["simulation_not_applicable", undefined]);
  });
});

describe("a rule that never comes to act", () => {
  const shadows = async (older: Partial<RuleRequest>, newer: Partial<RuleRequest>) => {
    const qa = givenBook();
    const first = await create(older, qa);
    const second = await create(newer, qa);
    expect([null, first.id]).toContain(second.shadowedBy);
    return second.shadowedBy === first.id;
  };

  it("names an older one that takes all of its payments", async () => {
    expect(await shadows({}, { fault: "LateReturn" })).toBe(true);
    expect(await shadows({ share: 1 }, { match: { rail: "Ach", direction: "Credit" } })).toBe(true);
    const { id } = givenOrder({ rail: "Ach" });
    expect(await shadows({}, { match: { orderId: id } })).toBe(true);
    const rejected = { match: { externalId: "of-no-order-yet" }, fault: "Reject", code: "AC04" } as const;
    expect(await shadows({ match: { rail: "Rtp" }, fault: "Timeout" }, rejected)).toBe(true);
  });

  it.each<[string, Partial<RuleRequest>, Partial<RuleRequest>]>([
    ["takes a share of them", { share: 0.5 }, {}],
    ["takes a number of them", { count: 1 }, {}],
    ["ends before", { until: "2100-01-01T00:00:00.000Z" }, {}],
    ["takes those of one direction", { match: { rail: "Ach", direction: "Debit" } }, {}],
    ["can't have its code on the others", { code: "R01" }, { code: "R03" }],
    ["is an Outage, which ends", { fault: "Outage" }, {}],
    ["is for another rail", { match: { rail: "SameDayAch" } }, {}],
  ])("is one only if no older one leaves it any: not if that one %s", async (_why, older, newer) => {
    expect(await shadows(older, newer)).toBe(false);
  });

  it("is no longer shadowed once the older one has ended", async () => {
    const qa = givenBook();
    const older = await create({}, qa);
    const { id } = await create({}, qa);
    await rules.end({ id: older.id }, qa);
    expect((await rules.get({ id }, qa)).shadowedBy).toBeNull();
  });
});
