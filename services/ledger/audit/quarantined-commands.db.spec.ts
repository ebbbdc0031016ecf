import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { newId, newUuid, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { PlaceHold, ReleaseHold, SettleHold } from "../../../contracts/messages/ledger.ts";
import { holdOf, releaseOf, sampleBook, sampleTenant } from "../../../test/ledger/commands.ts";
import { requestBy } from "../../../test/ledger/requests.ts";
import { type LedgerWorld, openLedger, someNumbers } from "../../../test/ledger/world.ts";
import { createMessage } from "../../platform/messages/message.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { PostCommands } from "../posting/post-commands.consumer.ts";
import { DropCommand } from "./drop-command.handler.ts";
import { QuarantineCommand } from "./quarantine-command.handler.ts";
import { FreezeBook } from "./freeze-book.handler.ts";
import { ReplayDeferredCommands } from "./replay-deferred-commands.worker.ts";
import { RetryCommand } from "./retry-command.handler.ts";

// What docs/operate/frozen-books.md says to do with them: the operator's commands.
let world: LedgerWorld;
let books: FreezeBook;
let replayer: ReplayDeferredCommands;
let retrier: RetryCommand;
let quarantiner: QuarantineCommand;
let dropper: DropCommand;
const request = { by: "ada", reason: "the bank asked" };
const context = requestBy(sampleTenant);

beforeEach(async () => {
  world = await openLedger();
  books = new FreezeBook(world.units.units);
  const log = pino({ level: "silent" });
  const { units, database } = world.units;
  const metrics = new Metrics("ledger");
  replayer = new ReplayDeferredCommands(units, database, someNumbers, metrics, log);
  retrier = new RetryCommand(units, someNumbers, log, metrics);
  quarantiner = new QuarantineCommand(units);
  dropper = new DropCommand(units, log);
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
  world.units.units.run((unit) => new PostCommands(new Metrics("ledger")).onCommands(messages, unit));
const placing = async (order: PaymentOrderId) => {
  const { kind: _, ...data } = holdOf(order, await world.opens(), 10);
  return createMessage(PlaceHold, { book: sampleBook, subject: order, data });
};
const releasing = (order: PaymentOrderId) => {
  const { kind: _, ...data } = releaseOf(order);
  return createMessage(ReleaseHold, { book: sampleBook, subject: order, data: data as never });
};
const settling = (order: PaymentOrderId) => {
  const data = { commandId: newUuid(), orderId: order, effectiveAt: "2026-03-02T15:00:00.000Z" };
  return createMessage(SettleHold, { book: sampleBook, subject: order, data });
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
const quarantines = (position: bigint, by = "ada") =>
  quarantiner.quarantine({ by, reason: "forged", position: Number(position) }, context);
const drops = (position: bigint, by = "ada") =>
  dropper.drop({ by, reason: "forged", position: Number(position) }, context);
const decided = () =>
  world.units.database.sql<{ kind: string; actor: string }>(
    "select kind, actor, reason, failure, message from command_decision order by position, number",
  );
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
    const failure = "left out by operator:ada: forged";
    expect(await quarantines(failing!.position)).toEqual({ isNew: true, failure });
    expect(await unfreezes()).toBe("Open");
    expect(await sent()).toEqual([
      `ledger.hold-placed.v1 ${second}`,
      `ledger.book-unfrozen.v1 ${sampleBook}`,
    ]);
    expect(await deferred()).toEqual([{ position: failing!.position, failure }]);
    expect(await decided()).toEqual([
      { kind: "LeftOut", actor: "operator:ada", reason: "forged", failure: null, message: null },
    ]);
    // A repeat changes nothing, also in the open book.
    expect(await quarantines(failing!.position, "bob")).toEqual({ isNew: false, failure });
    expect(await decided()).toHaveLength(1);
  });

  it("is left out only while its book is frozen and the command is there", async () => {
    await comes(await placing(newId("po")));
    await books.freeze(request, context);
    await comes(await placing(newId("po")));
    const { position } = (await deferred())[0]!;
    await expect(quarantines(position + 1n)).rejects.toMatchObject({ code: "not_found" });
    const { last_seq: seq, head: provenHead } = await head();
    await books.unfreeze({ ...request, provenSequence: Number(seq), provenHead }, context);
    await expect(quarantines(position)).rejects.toMatchObject({
      code: "invalid_state_transition",
      message: expect.stringContaining("The book is Releasing"),
    });
    expect(await deferred()).toMatchObject([{ failure: null }]);
    expect(await decided()).toEqual([]);
  });
});

describe("a quarantined command that must not be applied", () => {
  it("is dropped by one operator, with its whole message kept, and a repeat changes nothing", async () => {
    const { order, position } = await quarantinesRelease();
    const [stored] = await world.units.database.sql<{ message: string }>(
      "select message from deferred_command",
    );
    expect(await drops(position)).toEqual({ outcome: "Dropped", warning: null });
    expect(await deferred()).toEqual([]);
    expect(await decided()).toEqual([
      {
        kind: "Dropped",
        actor: "operator:ada",
        reason: "forged",
        failure: expect.stringContaining("hold"),
        message: stored!.message,
      },
    ]);
    expect(stored!.message).toContain(order);
    expect(await drops(position, "bob")).toEqual({ outcome: "DroppedBefore", warning: null });
    expect(await decided()).toHaveLength(1);
    expect(await world.faults()).toEqual([]);
  });

  it("takes two operators if the bank has moved its money", async () => {
    const order = newId("po");
    await comes(await placing(newId("po")));
    await books.freeze(request, context);
    await comes(settling(order));
    const { position } = (await deferred())[0]!;
    await quarantines(position);
    const warning = expect.stringContaining("The bank has moved this money") as string;
    for (const same of ["ada", "ada", "ADA"])
      expect(await drops(position, same)).toEqual({ outcome: "Proposed", warning });
    expect(await deferred()).toHaveLength(1);
    expect(await drops(position, "bob")).toEqual({ outcome: "Dropped", warning });
    expect(await deferred()).toEqual([]);
    expect((await decided()).map(({ kind, actor }) => `${kind} ${actor}`)).toEqual([
      "LeftOut operator:ada",
      "DropProposed operator:ada",
      "Dropped operator:bob",
    ]);
    await unfreezes();
    expect(await world.faults()).toEqual([]);
  });

  it("is not dropped while it waits for its turn, nor where there is none", async () => {
    await comes(await placing(newId("po")));
    await books.freeze(request, context);
    await comes(releasing(newId("po")));
    const { position } = (await deferred())[0]!;
    await expect(drops(position)).rejects.toMatchObject({
      code: "invalid_state_transition",
      message: expect.stringContaining("quarantine it while its book is frozen"),
    });
    await expect(drops(position + 1n)).rejects.toMatchObject({ code: "not_found" });
    expect(await deferred()).toHaveLength(1);
    expect(await decided()).toEqual([]);
  });

  it("is dropped once by two operators at the same moment", async () => {
    const { position } = await quarantinesRelease();
    const outcomes = await Promise.all([drops(position, "ada"), drops(position, "bob")]);
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(["Dropped", "DroppedBefore"]);
    expect(await decided()).toHaveLength(1);
  });
});
