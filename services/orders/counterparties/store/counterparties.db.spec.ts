import { OptimisticLockError } from "@mikro-orm/core";
import type { EntityManager } from "@mikro-orm/postgresql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bookIdOf, newId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { InquireInstruction } from "../../../../contracts/messages/rails.ts";
import { createDatabase, type TestDatabase } from "../../../../test/stack/servers/database.ts";
import { openUnits, type TestUnits } from "../../../../test/stack/database/units.ts";
import { newCounterparty } from "../../order/counterparty.ts";
import { entities } from "../../entities.ts";
import { findCounterparty, insertCounterparty, updateCounterparty } from "./counterparties.ts";
import { CounterpartyEntity } from "./counterparty.entity.ts";

let database: TestDatabase;
let units: TestUnits;
beforeAll(async () => {
  database = await createDatabase("orders");
  units = await openUnits(database.urlOf("orders"), undefined, entities);
});
afterAll(async () => {
  await units.close();
  await database.drop();
});

const book = bookIdOf(newId("ten"), "Test");
const by = { principal: "maker", now: new Date("2026-03-04T17:00:00Z") };
const fresh = () => {
  const details = { name: "Blue Freight", type: "Business", email: null, externalId: null } as const;
  return newCounterparty(newId("cp"), book, { ...details, accounts: [], metadata: {} }, by);
};
const read = (id: ReturnType<typeof fresh>["id"]) =>
  units.database.readEntities((em) => findCounterparty(em, { book, id }));
const count = async (table: string) => (await units.database.sql(`select 1 from ${table}`)).length;
const insertInboxRow = "insert into inbox (message_id) values ($1)";

it("replaces every field of an account, adds accounts and removes them", async () => {
  const account = (rail: "Ach" | "Rtp" | "Wire", last4: string, routingNumber: string) => ({
    rail,
    accountNumber: { keyId: `key of ${last4}`, ciphertext: `number ${last4}`, last4 },
    routingNumber,
    accountType: rail === "Rtp" ? ("Checking" as const) : null,
  });
  const counterparty = {
    ...fresh(),
    accounts: [account("Ach", "1111", "021000021"), account("Rtp", "2222", "021000021")],
  };
  await units.units.run(({ em }) => insertCounterparty(em, counterparty));
  expect(await read(counterparty.id)).toEqual(counterparty);
  const accounts = [
    { ...account("Rtp", "3333", "021000089"), accountType: null },
    account("Wire", "4444", "021000021"),
  ];
  await units.units.run(({ em }) =>
    updateCounterparty(em, counterparty, (current) => ({ ...current, name: "Green Freight", accounts })),
  );
  expect(await read(counterparty.id)).toEqual({
    ...counterparty,
    name: "Green Freight",
    version: 2,
    accounts,
  });
});

describe("the entities of a unit of work", () => {
  it("commit with its statements and its messages", async () => {
    const counterparty = fresh();
    await units.units.run(async ({ em, sql, outbox }) => {
      await insertCounterparty(em, counterparty);
      await sql(insertInboxRow, [uuidOf(counterparty.id)]);
      outbox.add(InquireInstruction, { book, subject: counterparty.id, data: { orderId: newId("po") } });
    });
    expect(await read(counterparty.id)).toEqual(counterparty);
    expect(await count("inbox")).toBe(1);
    expect(await units.takeMessages()).toMatchObject([{ subject: counterparty.id }]);
  });

  it("roll back with them", async () => {
    const counterparty = fresh();
    const rows = await count("inbox");
    const failing = units.units.run(async ({ em, sql, outbox }) => {
      await insertCounterparty(em, counterparty);
      await sql(insertInboxRow, [uuidOf(counterparty.id)]);
      outbox.add(InquireInstruction, { book, subject: counterparty.id, data: { orderId: newId("po") } });
      throw new RangeError("no");
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(await read(counterparty.id)).toBeUndefined();
    expect(await count("inbox")).toBe(rows);
    expect(await units.takeMessages()).toEqual([]);
  });

  it("are flushed at the end of the work", async () => {
    const counterparty = fresh();
    await units.units.run(({ em }) => insertCounterparty(em, counterparty));
    await units.units.run(async ({ em }) => {
      (await find(em, counterparty.id)).email = "ap@blue.example";
    });
    expect(await read(counterparty.id)).toMatchObject({ email: "ap@blue.example", version: 2 });
  });

  it("are not saved over a version that they were not read at", async () => {
    const counterparty = fresh();
    await units.units.run(({ em }) => insertCounterparty(em, counterparty));
    const stale = units.units.run(async ({ em }) => {
      const entity = await find(em, counterparty.id);
      await units.units.run((other) =>
        updateCounterparty(other.em, counterparty, (current) => ({ ...current, name: "First" })),
      );
      entity.name = "Second";
    });
    await expect(stale).rejects.toThrow(OptimisticLockError);
    expect(await read(counterparty.id)).toMatchObject({ name: "First", version: 2 });
  });

  it("fail with the first error of the transaction", async () => {
    const failing = units.units.run(async ({ em, sql }) => {
      await sql("select 1 / 0").catch(() => undefined);
      await insertCounterparty(em, fresh());
    });
    await expect(failing).rejects.toMatchObject({ code: "22012" });
  });

  it("can't be used after the end", async () => {
    let kept: EntityManager | undefined;
    await units.units.run(async ({ em }) => {
      kept = em;
      await Promise.resolve();
    });
    await expect(kept?.findOne(CounterpartyEntity, { name: "nobody" })).rejects.toThrow(
      "the end of its transaction",
    );
  });
});

function find(em: EntityManager, id: ReturnType<typeof fresh>["id"]) {
  return em.findOneOrFail(CounterpartyEntity, { book: uuidOf(book), id: uuidOf(id) });
}
