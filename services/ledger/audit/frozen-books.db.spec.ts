import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  bookIdOf,
  type LedgerAccountId,
  newId,
  type PaymentOrderId,
  uuidOf,
} from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { PlaceHold, ReleaseHold, SettleHold } from "../../../contracts/messages/ledger.ts";
import { forged, line } from "../../../test/ledger/forged.ts";
import { type LedgerWorld, openLedger, refusalOf, someNumbers } from "../../../test/ledger/world.ts";
import type { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
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
import { appendJournals } from "../posting/store/append-journals.ts";
import { PostCommands } from "../posting/post-commands.consumer.ts";

// A frozen book: what comes for it waits whole and in order, others go on, and nothing is lost or done twice.
let world: LedgerWorld;
let payroll: LedgerAccountId;
let books: FreezeBook;
let held: ReplayDeferredCommands;
const otherTenant = newId("ten");
const otherBook = bookIdOf(otherTenant, "Test");
const caller: Caller = {
  book: sampleBook,
  tenant: sampleTenant,
  mode: "Test",
  principal: "operator:ada",
  requestId: newId("req"),
};
const ask = { caller, correlationid: caller.requestId };
const word = { by: "ada", reason: "the bank asked" };

beforeEach(async () => {
  world = await openLedger();
  payroll = await world.opens();
  books = new FreezeBook(world.units.units);
  held = anotherRunner();
});
afterEach(() => world.close());

function anotherRunner(units: Pick<UnitOfWorkRunner, "run"> = world.units.units): ReplayDeferredCommands {
  return new ReplayDeferredCommands(
    units as UnitOfWorkRunner,
    world.units.database,
    someNumbers,
    pino({ level: "silent" }),
  );
}

/** The sender's own id and time are no part of what a command is: each call is a resend under a new message id. */
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
  return world.units.units.run((unit) => new PostCommands().onCommands(messages, unit));
}

async function freezes(): Promise<void> {
  await books.freeze(word, ask);
}
async function releases(): Promise<void> {
  const [head] = await world.units.database.sql<{ last_seq: bigint; head: string }>(
    "select last_seq, encode(head_hash, 'hex') as head from book_head where book_id = $1",
    [uuidOf(sampleBook)],
  );
  await books.unfreeze({ ...word, provenSequence: Number(head!.last_seq), provenHead: head!.head }, ask);
}
async function runsToTheEnd(): Promise<void> {
  for (let turns = 0; (await held.tick()) > 0; turns += 1) expect(turns).toBeLessThan(50);
}
/** What was said since the last call, as `type subject`. */
async function told(): Promise<string[]> {
  return (await world.units.takeMessages()).map(({ type, subject }) => `${type} ${subject}`);
}
async function stateOf(): Promise<string> {
  const [head] = await world.units.database.sql<{ state: string }>(
    "select state from book_head where book_id = $1",
    [uuidOf(sampleBook)],
  );
  return head!.state;
}
async function waiting(): Promise<number> {
  return (await world.units.database.sql("select from deferred_command where failure is null")).length;
}

describe("a frozen book", () => {
  it("keeps its commands without an outcome, while another book of the same batch goes on", async () => {
    await world.units.units.run(({ sql }) =>
      createBooks(sql, [{ book: otherBook, tenantId: otherTenant, mode: "Test" }]),
    );
    const theirs = await world.opens({ book: otherBook });
    await freezes();
    await told();
    const [ours, other] = [newId("po"), newId("po")];
    await comes(placing(ours), placing(other, 10, theirs, otherTenant));
    expect(await told()).toEqual([`ledger.hold-placed.v1 ${other}`]);
    expect(await waiting()).toBe(1);
  });

  it("keeps a command once, however often it is sent", async () => {
    const order = newId("po");
    await freezes();
    await comes(placing(order), placing(order));
    await comes(placing(order));
    expect(await waiting()).toBe(1);
  });

  it("refuses the writes of HTTP, to be sent again, and leaves nothing of them", async () => {
    await freezes();
    const account = {
      name: "New",
      currency: "USD",
      normalBalance: "Credit",
      overdraft: "Allowed",
    } as const;
    await expect(new CreateAccount(world.units.units).create(account, ask)).rejects.toMatchObject({
      code: "service_unavailable",
      message: expect.stringContaining("being examined"),
    });
    await expect(
      world.writes(postingOf([payroll, "Debit", 5], [await world.opens(), "Credit", 5])),
    ).rejects.toMatchObject({ code: "service_unavailable" });
  });

  it("takes no journal from anybody: Postgres refuses it by name", async () => {
    const other = await world.opens();
    await freezes();
    const refused = await refusalOf(world.superuser, async (sql) =>
      appendJournals(sql, [await forged(sql, "Post", [line(payroll, "Debit", 5), line(other, "Credit", 5)])]),
    );
    expect(refused).toBe("LG020 book_is_frozen");
  });

  it("is frozen once, and says so to everybody with the number of the word", async () => {
    await freezes();
    expect(await world.units.takeMessages()).toMatchObject([
      { type: "ledger.book-frozen.v1", book: sampleBook, sequence: 1, data: { reason: "the bank asked" } },
    ]);
    await expect(freezes()).rejects.toMatchObject({ code: "invalid_state_transition" });
  });

  it("is not there for a book that nobody made", async () => {
    const nowhere = { ...ask, caller: { ...caller, book: bookIdOf(newId("ten"), "Test") } };
    await expect(books.freeze(word, nowhere)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("what waited", () => {
  it("runs in order, once, and its outcomes are told; then the book is open", async () => {
    const [first, second] = [newId("po"), newId("po")];
    await comes(placing(first));
    await freezes();
    await comes(settling(first), placing(second));
    await comes(placing(second), settling(second));
    await told();
    await releases();
    expect(await told()).toEqual([]);
    await runsToTheEnd();
    expect(await told()).toEqual([
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

  it("queues behind while it runs: a settlement does not overtake its hold", async () => {
    const order = newId("po");
    await freezes();
    await comes(placing(order));
    await releases();
    await comes(settling(order));
    await told();
    await runsToTheEnd();
    expect((await told()).slice(0, 2)).toEqual([
      `ledger.hold-placed.v1 ${order}`,
      `ledger.hold-settled.v1 ${order}`,
    ]);
  });

  it("runs once with two instances at it", async () => {
    const orders = Array.from({ length: 450 }, () => newId("po"));
    await freezes();
    await comes(...orders.map((order) => placing(order)));
    await releases();
    await told();
    const others = [held, anotherRunner()];
    for (let turns = 0; (await stateOf()) !== "Open"; turns += 1) {
      expect(turns).toBeLessThan(50);
      await Promise.all(others.map((runner) => runner.tick()));
    }
    expect(await told()).toEqual([
      ...orders.map((order) => `ledger.hold-placed.v1 ${order}`),
      `ledger.book-unfrozen.v1 ${sampleBook}`,
    ]);
    expect(await world.faults()).toEqual([]);
  });

  it("survives an end in the middle: what was not committed waits still", async () => {
    const order = newId("po");
    await freezes();
    await comes(placing(order), settling(order));
    await releases();
    await world.superuser.query("alter table command add constraint never check (false) not valid");
    await held.tick();
    expect(await waiting()).toBe(2);
    expect(await stateOf()).toBe("Frozen");
    await world.superuser.query("alter table command drop constraint never");
    await releases();
    await runsToTheEnd();
    expect(await stateOf()).toBe("Open");
    expect(await world.faults()).toEqual([]);
  });

  it("leaves what its sender got wrong to a person, and the others go on", async () => {
    const order = newId("po");
    await freezes();
    await comes(releasing(newId("po")), placing(order), placing(order, 11));
    expect(await waiting()).toBe(3);
    await releases();
    await told();
    await runsToTheEnd();
    expect(await told()).toEqual([`ledger.hold-placed.v1 ${order}`, `ledger.book-unfrozen.v1 ${sampleBook}`]);
    const parked = await world.units.database.sql<{ failure: string }>(
      "select failure from deferred_command order by position",
    );
    expect(parked.map(({ failure }) => failure)).toEqual([
      expect.stringContaining("hold"),
      expect.stringContaining("was another request"),
    ]);
  });

  it("leaves no other to a person where two instances met in the one that failed", async () => {
    const order = newId("po");
    await freezes();
    await comes(releasing(newId("po")), placing(order));
    await releases();
    await told();
    let unitsOfWork = 0;
    const late = anotherRunner({
      async run(work) {
        unitsOfWork += 1;
        // It has run the batch and then the first alone, in vain. Before it sets that aside, another instance does.
        if (unitsOfWork === 3) await held.tick();
        return world.units.units.run(work);
      },
    });
    await late.tick();
    expect([unitsOfWork, await waiting()]).toEqual([3, 1]);
    await runsToTheEnd();
    expect(await told()).toEqual([`ledger.hold-placed.v1 ${order}`, `ledger.book-unfrozen.v1 ${sampleBook}`]);
  });

  it("is not run before the very head that was proven", async () => {
    await freezes();
    const proven = { ...word, provenSequence: 0, provenHead: "0".repeat(64) };
    await expect(books.unfreeze(proven, ask)).rejects.toMatchObject({
      code: "invalid_state_transition",
      message: expect.stringContaining("has changed since this proof"),
    });
    expect(await stateOf()).toBe("Frozen");
  });
});
