import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import {
  bookIdOf,
  type LedgerAccountId,
  newId,
  type PaymentOrderId,
  uuidOf,
} from "../../../contracts/ids/ids.ts";
import { PlaceHold, ReleaseHold, SettleHold } from "../../../contracts/messages/ledger.ts";
import { forged, line } from "../../../test/ledger/rows/forged.ts";
import { type LedgerWorld, openLedger, refusalOf, someNumbers } from "../../../test/ledger/world.ts";
import type { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { createMessage } from "../../platform/messages/message.ts";
import { CreateAccount } from "../accounts/create-account.handler.ts";
import { FreezeBook } from "./freeze-book.handler.ts";
import { ReplayDeferredCommands } from "./replay-deferred-commands.worker.ts";
import {
  holdOf,
  postingOf,
  releaseOf,
  sampleBook,
  sampleTenant,
  settlementOf,
} from "../../../test/ledger/commands.ts";
import { createBooks } from "../posting/store/lock-books.ts";
import { appendJournals } from "../../../test/ledger/rows/append-journals.ts";
import { PostCommands } from "../posting/post-commands.consumer.ts";
import { requestBy } from "../../../test/ledger/requests.ts";

// A frozen book defers its commands, complete and in order. Other books continue, and no command is lost or executed
// twice.
let world: LedgerWorld;
let payroll: LedgerAccountId;
let books: FreezeBook;
let replayer: ReplayDeferredCommands;
const otherTenant = newId("ten");
const otherBook = bookIdOf(otherTenant, "Test");
const context = requestBy(sampleTenant);
const request = { by: "ada", reason: "the bank asked" };

beforeEach(async () => {
  world = await openLedger();
  payroll = await world.opens();
  books = new FreezeBook(world.units.units);
  replayer = anotherReplayer();
  return () => world.close();
});

function anotherReplayer(units: Pick<UnitOfWorkRunner, "run"> = world.units.units): ReplayDeferredCommands {
  return new ReplayDeferredCommands(
    units as UnitOfWorkRunner,
    world.units.database,
    someNumbers,
    new Metrics("ledger"),
    pino({ level: "silent" }),
  );
}

/** A message's id and time do not identify its command, so each call with the same order is a resend. */
function placing(order: PaymentOrderId, cents = 10, account = payroll, tenantId = sampleTenant) {
  const { kind: _, ...data } = holdOf(order, account, cents, { tenantId });
  return createMessage(PlaceHold, { book: bookIdOf(tenantId, "Test"), subject: order, data });
}
function settling(order: PaymentOrderId) {
  const { kind: _, ...data } = settlementOf(order) as ReturnType<typeof settlementOf> & { kind: "Settle" };
  return createMessage(SettleHold, { book: sampleBook, subject: order, data: data as never });
}
function releasing(order: PaymentOrderId) {
  const { kind: _, ...data } = releaseOf(order);
  return createMessage(ReleaseHold, { book: sampleBook, subject: order, data: data as never });
}

type CommandMessage = Parameters<PostCommands["onCommands"]>[0][number];
function comes(...messages: CommandMessage[]): Promise<void> {
  return world.units.units.run((unit) => new PostCommands(new Metrics("ledger")).onCommands(messages, unit));
}

async function headOf() {
  const [head] = await world.units.database.sql<{ last_seq: bigint; head: string; state: string }>(
    "select last_seq, encode(head_hash, 'hex') as head, state from book_head where book_id = $1",
    [uuidOf(sampleBook)],
  );
  return head!;
}
async function freezes(): Promise<void> {
  await books.freeze(request, context);
}
async function unfreezes(): Promise<void> {
  const head = await headOf();
  await books.unfreeze({ ...request, provenSequence: Number(head.last_seq), provenHead: head.head }, context);
}
async function runsToTheEnd(): Promise<void> {
  for (let ticks = 0; (await replayer.tick()) > 0; ticks += 1) expect(ticks).toBeLessThan(50);
}
/** The messages published since the last call, as `type subject`. */
async function sent(): Promise<string[]> {
  return (await world.units.takeMessages()).map(({ type, subject }) => `${type} ${subject}`);
}
const stateOf = async () => (await headOf()).state;
async function waiting(): Promise<number> {
  return (await world.units.database.sql("select from deferred_command where failure is null")).length;
}

describe("a frozen book", () => {
  it("defers its commands without an outcome, while another book of the same batch continues", async () => {
    await world.units.units.run(({ sql }) =>
      createBooks(sql, [{ book: otherBook, tenantId: otherTenant, mode: "Test" }]),
    );
    const theirs = await world.opens({ book: otherBook });
    await freezes();
    await sent();
    const [ours, other] = [newId("po"), newId("po")];
    await comes(placing(ours), placing(other, 10, theirs, otherTenant));
    expect(await sent()).toEqual([`ledger.hold-placed.v1 ${other}`]);
    expect(await waiting()).toBe(1);
  });

  it("stores a deferred command once, however often it is sent", async () => {
    const order = newId("po");
    await freezes();
    await comes(placing(order), placing(order));
    await comes(placing(order));
    expect(await waiting()).toBe(1);
  });

  it("refuses HTTP writes as retryable, and stores nothing of them", async () => {
    await freezes();
    const account = {
      name: "New",
      currency: "USD",
      normalBalance: "Credit",
      overdraft: "Allowed",
    } as const;
    await expect(new CreateAccount(world.units.units).create(account, context)).rejects.toMatchObject({
      code: "service_unavailable",
      message: expect.stringContaining("is frozen"),
    });
    await expect(
      world.writes(postingOf([payroll, "Debit", 5], [await world.opens(), "Credit", 5])),
    ).rejects.toMatchObject({ code: "service_unavailable" });
  });

  it("refuses every journal in Postgres, with an error code of its own", async () => {
    const other = await world.opens();
    await freezes();
    const refused = await refusalOf(world.superuser, async (sql) =>
      appendJournals(sql, [await forged(sql, "Post", [line(payroll, "Debit", 5), line(other, "Credit", 5)])]),
    );
    expect(refused).toBe("LG020 book_is_frozen");
  });

  it("is frozen once, and publishes it with the number of the freeze event", async () => {
    await freezes();
    expect(await world.units.takeMessages()).toMatchObject([
      { type: "ledger.book-frozen.v1", book: sampleBook, sequence: 1, data: { reason: "the bank asked" } },
    ]);
    await expect(freezes()).rejects.toMatchObject({ code: "invalid_state_transition" });
  });

  it("can't be a book that does not exist", async () => {
    const nowhere = { ...context, caller: { ...context.caller, book: bookIdOf(newId("ten"), "Test") } };
    await expect(books.freeze(request, nowhere)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("the deferred commands", () => {
  it("run in order, once, with their outcomes published; then the book is open", async () => {
    const [first, second] = [newId("po"), newId("po")];
    await comes(placing(first));
    await freezes();
    await comes(settling(first), placing(second));
    await comes(placing(second), settling(second));
    await sent();
    await unfreezes();
    expect(await sent()).toEqual([]);
    await runsToTheEnd();
    expect(await sent()).toEqual([
      `ledger.hold-settled.v1 ${first}`,
      `ledger.hold-placed.v1 ${second}`,
      `ledger.hold-settled.v1 ${second}`,
      `ledger.book-unfrozen.v1 ${sampleBook}`,
    ]);
    expect(await stateOf()).toBe("Open");
    expect(await world.faults()).toEqual([]);
    await comes(placing(newId("po")));
    expect(await waiting()).toBe(0);
  });

  it("are followed by those that arrive during the replay: a settlement does not overtake its hold", async () => {
    const order = newId("po");
    await freezes();
    await comes(placing(order));
    await unfreezes();
    await comes(settling(order));
    await sent();
    await runsToTheEnd();
    expect((await sent()).slice(0, 2)).toEqual([
      `ledger.hold-placed.v1 ${order}`,
      `ledger.hold-settled.v1 ${order}`,
    ]);
  });

  it("run once while two instances replay them", async () => {
    const orders = Array.from({ length: 450 }, () => newId("po"));
    await freezes();
    await comes(...orders.map((order) => placing(order)));
    await unfreezes();
    await sent();
    const others = [replayer, anotherReplayer()];
    for (let ticks = 0; (await stateOf()) !== "Open"; ticks += 1) {
      expect(ticks).toBeLessThan(50);
      await Promise.all(others.map((runner) => runner.tick()));
    }
    expect(await sent()).toEqual([
      ...orders.map((order) => `ledger.hold-placed.v1 ${order}`),
      `ledger.book-unfrozen.v1 ${sampleBook}`,
    ]);
    expect(await world.faults()).toEqual([]);
  });

  it("survive a crash in the middle: uncommitted ones are still deferred", async () => {
    const order = newId("po");
    await freezes();
    await comes(placing(order), settling(order));
    await unfreezes();
    await world.superuser.query("alter table command add constraint never check (false) not valid");
    await replayer.tick();
    expect(await waiting()).toBe(2);
    expect(await stateOf()).toBe("Frozen");
    await world.superuser.query("alter table command drop constraint never");
    await unfreezes();
    await runsToTheEnd();
    expect(await stateOf()).toBe("Open");
    expect(await world.faults()).toEqual([]);
  });

  it("are quarantined if their sender made a mistake, and the others continue", async () => {
    const order = newId("po");
    await freezes();
    await comes(releasing(newId("po")), placing(order), placing(order, 11));
    expect(await waiting()).toBe(3);
    await unfreezes();
    await sent();
    await runsToTheEnd();
    expect(await sent()).toEqual([`ledger.hold-placed.v1 ${order}`, `ledger.book-unfrozen.v1 ${sampleBook}`]);
    const parked = await world.units.database.sql<{ failure: string }>(
      "select failure from deferred_command order by position",
    );
    expect(parked.map(({ failure }) => failure)).toEqual([
      expect.stringContaining("hold"),
      expect.stringContaining("was already used for another request"),
    ]);
  });

  it("are quarantined if only the unique index finds the mistake: a second hold of an order", async () => {
    const hold = placing(newId("po"));
    await comes(hold);
    await freezes();
    await comes({ ...hold, data: { ...hold.data, commandId: crypto.randomUUID() } });
    await unfreezes();
    await runsToTheEnd();
    const parked = await world.units.database.sql("select failure from deferred_command");
    expect(parked).toEqual([{ failure: "another command opened its transaction" }]);
    expect(await stateOf()).toBe("Open");
  });

  it("are not quarantined because another instance quarantined the failing one first", async () => {
    const order = newId("po");
    await freezes();
    await comes(releasing(newId("po")), placing(order));
    await unfreezes();
    await sent();
    let unitsOfWork = 0;
    const late = anotherReplayer({
      async run(work) {
        unitsOfWork += 1;
        // It has failed on the batch and then on the first command alone. Another instance quarantines that command
        // first.
        if (unitsOfWork === 3) await replayer.tick();
        return world.units.units.run(work);
      },
    });
    await late.tick();
    expect([unitsOfWork, await waiting()]).toEqual([3, 1]);
    await runsToTheEnd();
    expect(await sent()).toEqual([`ledger.hold-placed.v1 ${order}`, `ledger.book-unfrozen.v1 ${sampleBook}`]);
  });

  it("are not replayed if the proof was made for another head", async () => {
    await freezes();
    const proven = { ...request, provenSequence: 0, provenHead: "0".repeat(64) };
    await expect(books.unfreeze(proven, context)).rejects.toMatchObject({
      code: "invalid_state_transition",
      message: expect.stringContaining("has changed since this proof"),
    });
    expect(await stateOf()).toBe("Frozen");
  });
});
