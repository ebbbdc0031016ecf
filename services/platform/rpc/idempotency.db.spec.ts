import { describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { advisoryLockWaits } from "../../../test/stack/database/lock-waits.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { Refusal } from "../../../contracts/errors.ts";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { answerUnderKey } from "../../../test/stack/refusals.ts";
import { until } from "../../../test/stack/until.ts";
import { type RequestContext, IdempotentReplay } from "../handlers/decorators.ts";
import type { UnitOfWork } from "../handlers/unit-of-work.ts";
import { withIdempotency } from "./idempotency.ts";
import { insertAnswers } from "./idempotency-store.ts";

interface Made {
  readonly id: string;
  readonly amountCents: number;
}

const units = await forThisFile(openFreshUnits("rails"));
const writes: string[] = [];

const tenant = newId("ten");
function askWith(
  key: string | undefined,
  fingerprint = "the same body",
  mode: "Test" | "Live" = "Test",
): RequestContext {
  const caller = { book: bookIdOf(tenant, mode), tenant, mode, principal: "tester", requestId: newId("req") };
  const idempotency = key === undefined ? undefined : { key, fingerprint };
  return { caller, correlationid: caller.requestId, idempotency };
}

/** Inserts a row that is rolled back with the write. */
const insertRow = ({ sql }: UnitOfWork, id: string) =>
  sql(
    "insert into failed_message (message_id, type, failures, last_error) values (gen_random_uuid(), $1, 1, '')",
    [id],
  );

/** Creates a row once per key; `refuse` makes the write end in a refusal. */
function make(context: RequestContext, id: string, refuse = false): Promise<Made | IdempotentReplay<Made>> {
  return units.units.run((unit) =>
    withIdempotency(unit, context, { name: "make", resourceId: (made: Made) => made.id }, async () => {
      writes.push(id);
      await insertRow(unit, id);
      if (refuse) throw new Refusal("name_taken", "Take another name.");
      return { id, amountCents: 1_250 };
    }),
  );
}
const rowCount = async (id: string) =>
  (await units.database.sql("select 1 from failed_message where type = $1", [id])).length;

describe("a write under an Idempotency-Key", () => {
  it("is executed once: a repeated request gets the first answer", async () => {
    expect(await make(askWith("k-1"), "first")).toEqual({ id: "first", amountCents: 1_250 });
    const again = await make(askWith("k-1"), "second");
    expect(again).toBeInstanceOf(IdempotentReplay);
    expect(again).toEqual(new IdempotentReplay({ id: "first", amountCents: 1_250 }));
    expect([await rowCount("first"), await rowCount("second")]).toEqual([1, 0]);
  });

  it("refuses the key for another request, with the id of the resource that it created", async () => {
    await make(askWith("k-2"), "made");
    await expect(make(askWith("k-2", "another body"), "other")).rejects.toMatchObject({
      code: "idempotency_key_reused",
      context: { resourceId: "made" },
    });
    expect(await rowCount("other")).toBe(0);
  });

  it("frees the key when it is refused, also for another request", async () => {
    await expect(make(askWith("k-3"), "refused", true)).rejects.toMatchObject({ code: "name_taken" });
    expect(await rowCount("refused")).toBe(0);
    expect(await make(askWith("k-3", "another body"), "accepted")).toEqual({
      id: "accepted",
      amountCents: 1_250,
    });
  });

  it("has a key per book: the same key in the other book is a different one", async () => {
    await make(askWith("k-4"), "in Test");
    expect(await make(askWith("k-4", "the same body", "Live"), "in Live")).toEqual({
      id: "in Live",
      amountCents: 1_250,
    });
  });

  it("is executed once for twenty concurrent requests", async () => {
    writes.length = 0;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => answerUnderKey(() => make(askWith("k-5"), `of 20: ${String(i)}`))),
    );
    expect(writes).toHaveLength(1);
    expect(answers.filter((answer) => answer instanceof IdempotentReplay)).toHaveLength(19);
    const made = answers.map((answer) => (answer instanceof IdempotentReplay ? answer.value.id : answer.id));
    expect(new Set(made)).toEqual(new Set(writes));
  });

  it("is executed by a waiting request when the first one is refused", async () => {
    const waits = async () => (await advisoryLockWaits(units.database.sql)) > 0;
    let waiting: Promise<Made | IdempotentReplay<Made>> | undefined;
    const refused = units.units.run((unit) =>
      withIdempotency(
        unit,
        askWith("k-6"),
        { name: "make", resourceId: (made: Made) => made.id },
        async () => {
          waiting = make(askWith("k-6"), "waited");
          await until(waits);
          throw new Refusal("name_taken", "Take another name.");
        },
      ),
    );
    await expect(refused).rejects.toMatchObject({ code: "name_taken" });
    expect(await waiting).toEqual({ id: "waited", amountCents: 1_250 });
    expect(await rowCount("waited")).toBe(1);
  });
});

it("is refused as in progress when the key stays locked, because a waiting request would occupy a connection", async () => {
  const release = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const holder = units.units.run((unit) =>
    withIdempotency(
      unit,
      askWith("busy"),
      { name: "make", resourceId: (made: Made) => made.id },
      async () => {
        begun.resolve();
        await release.promise;
        return { id: "held", amountCents: 1 };
      },
    ),
  );
  await begun.promise;
  await expect(make(askWith("busy"), "impatient")).rejects.toMatchObject({ code: "idempotency_in_progress" });
  release.resolve();
  expect(await holder).toEqual({ id: "held", amountCents: 1 });
  expect(await rowCount("impatient")).toBe(0);
});

it("is rolled back, and refused as in progress, when a batch has stored its answer under the key", async () => {
  const context = askWith("overtaken");
  const operation = { name: "make", resourceId: (made: Made) => made.id };
  const overtaken = units.units.run((unit) =>
    withIdempotency(unit, context, operation, async () => {
      await insertRow(unit, "overtaken");
      const first = { request: context, resourceId: "first", response: { id: "first", amountCents: 1 } };
      await insertAnswers(units.database.sql, "make", [first]);
      return { id: "overtaken", amountCents: 2 };
    }),
  );
  await expect(overtaken).rejects.toMatchObject({ code: "idempotency_in_progress" });
  expect(await rowCount("overtaken")).toBe(0);
  expect(await make(context, "repeated")).toEqual(new IdempotentReplay({ id: "first", amountCents: 1 }));
});

it("waits for its own locks until the request's deadline, and not for two seconds as for its key", async () => {
  const limit = await units.units.run((unit) =>
    withIdempotency(unit, askWith("limit"), { name: "make", resourceId: () => "made" }, async () => {
      const [row] = await unit.sql<{ lock_timeout: string }>("show lock_timeout");
      return row?.lock_timeout;
    }),
  );
  expect(limit).toBe("10s");
});

it("is executed every time without a key", async () => {
  await make(askWith(undefined), "unkeyed");
  await make(askWith(undefined), "unkeyed");
  expect(await rowCount("unkeyed")).toBe(2);
});

describe("an Idempotency-Key", () => {
  const once = (operation: string, id: string) =>
    units.units.run((unit) =>
      withIdempotency(
        unit,
        askWith("shared"),
        { name: operation, resourceId: (made: Made) => made.id },
        async () => ({
          id,
          amountCents: 1,
        }),
      ),
    );

  it("counts for one resource: the same key of another one is another key", async () => {
    expect(await once("create-order", "an order")).toMatchObject({ id: "an order" });
    expect(await once("create-counterparty", "a payee")).toMatchObject({ id: "a payee" });
    expect(await once("create-order", "again")).toMatchObject({ value: { id: "an order" } });
    expect(await once("create-counterparty", "again")).toMatchObject({ value: { id: "a payee" } });
  });

  it("counts for all operations of its resource", async () => {
    expect(await once("cancel-order", "again")).toMatchObject({ value: { id: "an order" } });
  });
});
