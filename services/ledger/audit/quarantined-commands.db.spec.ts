import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { newId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { PlaceHold, ReleaseHold } from "../../../contracts/messages/ledger.ts";
import { holdOf, releaseOf, sampleBook, sampleTenant } from "../../../test/ledger/commands.ts";
import { requestBy } from "../../../test/ledger/requests.ts";
import { type LedgerWorld, openLedger, someNumbers } from "../../../test/ledger/world.ts";
import { createMessage } from "../../platform/messages/message.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { PostCommands } from "../posting/post-commands.consumer.ts";
import { FreezeBook } from "./freeze-book.handler.ts";
import { ReplayDeferredCommands } from "./replay-deferred-commands.worker.ts";
import { RetryCommand } from "./retry-command.handler.ts";

// What docs/operate/frozen-books.md says to do with them: the operator's command, and SQL of the database's owner.
let world: LedgerWorld;
let books: FreezeBook;
let replayer: ReplayDeferredCommands;
let retrier: RetryCommand;
const request = { by: "ada", reason: "the bank asked" };
const context = requestBy(sampleTenant);

beforeEach(async () => {
  world = await openLedger();
  books = new FreezeBook(world.units.units);
  const log = pino({ level: "silent" });
  const { units, database } = world.units;
  replayer = new ReplayDeferredCommands(units, database, someNumbers, new Metrics("ledger"), log);
  retrier = new RetryCommand(units, someNumbers, log);
  return () => world.close();
});

const head = async () => {
  const [row] = await world.units.database.sql<{ last_seq: bigint; head: string; state: string }>(
    "select last_seq, encode(head_hash, 'hex') as head, state from book_head where book_id = $1",
    [uuidOf(sampleBook)],
  );
  return row!;
};
/** Replays until the book is open, or frozen again. Returns which. */
async function unfreezes(): Promise<string> {
  const { last_seq: seq, head: provenHead } = await head();
  await books.unfreeze({ ...request, provenSequence: Number(seq), provenHead }, context);
  for (let ticks = 0; (await replayer.tick()) > 0; ticks += 1) expect(ticks).toBeLessThan(50);
  return (await head()).state;
}
const comes = (...messages: Parameters<PostCommands["onCommands"]>[0][number][]) =>
  world.units.units.run((unit) => new PostCommands().onCommands(messages, unit));
const placing = async (order: PaymentOrderId) => {
  const { kind: _, ...data } = holdOf(order, await world.opens(), 10);
  return createMessage(PlaceHold, { book: sampleBook, subject: order, data });
};
const releasing = (order: PaymentOrderId) => {
  const { kind: _, ...data } = releaseOf(order);
  return createMessage(ReleaseHold, { book: sampleBook, subject: order, data: data as never });
};
const sent = async () => (await world.units.takeMessages()).map(({ type, subject }) => `${type} ${subject}`);
const deferred = () =>
  world.units.database.sql<{ position: bigint; failure: string | null }>(
    "select position, failure from deferred_command order by position",
  );
const setFailure = (position: bigint, failure: string | null) =>
  world.superuser.query("update deferred_command set failure = $3 where book_id = $1 and position = $2", [
    uuidOf(sampleBook),
    position,
    failure,
  ]);

const retries = (position: bigint) =>
  retrier.retry({ by: "ada", reason: "mended", position: Number(position) }, context);
const recorded = () =>
  world.units.database.sql(
    "select message_type, actor, reason, failure from command_retry order by position, number",
  );
/** The release of a hold that is not there is quarantined, and the book is open. */
async function quarantinesRelease(): Promise<{ order: PaymentOrderId; position: bigint }> {
  const order = newId("po");
  await comes(await placing(newId("po")));
  await books.freeze(request, context);
  await comes(releasing(order));
  expect(await unfreezes()).toBe("Open");
  const [quarantined] = await deferred();
  return { order, position: quarantined!.position };
}

describe("a deferred command that can't be replayed", () => {
  it("is replayed by the next unfreeze once its failure is cleared", async () => {
    const order = newId("po");
    await comes(await placing(newId("po")));
    await books.freeze(request, context);
    await comes(releasing(order));
    expect(await unfreezes()).toBe("Open");
    const [quarantined] = await deferred();
    expect(quarantined?.failure).toContain("hold");
    // The cause is gone: the hold is placed.
    await comes(await placing(order));
    await sent();
    await books.freeze(request, context);
    await setFailure(quarantined!.position, null);
    expect(await unfreezes()).toBe("Open");
    expect(await sent()).toEqual([
      `ledger.book-frozen.v1 ${sampleBook}`,
      `ledger.hold-released.v1 ${order}`,
      `ledger.book-unfrozen.v1 ${sampleBook}`,
    ]);
    expect(await deferred()).toEqual([]);
    expect(await world.faults()).toEqual([]);
  });

  it("is tried again in the open book by an operator, applied once, and recorded", async () => {
    const { order, position } = await quarantinesRelease();
    await comes(await placing(order));
    await sent();
    expect(await retries(position)).toEqual({ failure: null, code: null });
    expect(await sent()).toEqual([`ledger.hold-released.v1 ${order}`]);
    expect(await deferred()).toEqual([]);
    await expect(retries(position)).rejects.toMatchObject({ code: "not_found" });
    expect(await recorded()).toEqual([
      { message_type: "ledger.release-hold.v1", actor: "operator:ada", reason: "mended", failure: null },
    ]);
    expect(await world.faults()).toEqual([]);
  });

  it("stays quarantined with its new failure while its cause is there, and the book stays open", async () => {
    const { position } = await quarantinesRelease();
    await setFailure(position, "another failure");
    const failure = expect.stringContaining("hold") as string;
    expect(await retries(position)).toEqual({ failure, code: "hold_not_found" });
    expect(await deferred()).toMatchObject([{ failure }]);
    expect((await head()).state).toBe("Open");
    expect(await recorded()).toMatchObject([{ failure }]);
  });

  it("stays quarantined if the database refuses it", async () => {
    const { order, position } = await quarantinesRelease();
    await comes(await placing(order));
    await world.superuser.query("alter table command add constraint never check (false) not valid");
    const failure = expect.stringContaining('violates check constraint "never"') as string;
    expect(await retries(position)).toEqual({ failure, code: "23514" });
    await world.superuser.query("alter table command drop constraint never");
    expect(await retries(position)).toEqual({ failure: null, code: null });
    expect(await recorded()).toMatchObject([{ failure }, { failure: null }]);
  });

  it("is not tried again while its book is frozen, nor is one that still waits for its turn", async () => {
    const { position } = await quarantinesRelease();
    await books.freeze(request, context);
    await expect(retries(position)).rejects.toMatchObject({ code: "invalid_state_transition" });
    await comes(releasing(newId("po")));
    const [, waiting] = await deferred();
    expect(waiting).toMatchObject({ failure: null });
    expect(await recorded()).toEqual([]);
  });

  it("that freezes its book again is left out once it has a failure, and the others are replayed", async () => {
    const [first, second] = [newId("po"), newId("po")];
    await comes(await placing(newId("po")));
    await books.freeze(request, context);
    const hold = await placing(first);
    await comes(hold, await placing(second));
    await world.superuser.query(
      `alter table command add constraint not_this_one check (command_id <> '${hold.data.commandId}') not valid`,
    );
    expect(await unfreezes()).toBe("Frozen");
    const [failing] = await deferred();
    await sent();
    await setFailure(failing!.position, "left out by ada: forged");
    expect(await unfreezes()).toBe("Open");
    expect(await sent()).toEqual([
      `ledger.hold-placed.v1 ${second}`,
      `ledger.book-unfrozen.v1 ${sampleBook}`,
    ]);
    expect(await deferred()).toMatchObject([{ failure: "left out by ada: forged" }]);
  });
});
