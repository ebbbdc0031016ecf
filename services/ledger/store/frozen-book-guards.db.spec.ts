import { beforeEach, describe, expect, it } from "vitest";
import { newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { type LedgerWorld, openLedger, refusalOf } from "../../../test/ledger/world.ts";
import { createMessage } from "../../platform/messages/message.ts";
import { SettleHold } from "../../../contracts/messages/ledger.ts";
import { sampleBook } from "../../../test/ledger/commands.ts";
import { appendStateChange } from "../audit/store/freeze-log.ts";
import { insertDeferredCommands } from "../posting/store/deferred-commands.ts";

// The rules of a frozen book that Postgres enforces on every writer.
let world: LedgerWorld;
beforeEach(async () => {
  world = await openLedger();
  return () => world.close();
});

const freezes = () => appends("Frozen");
const releases = () => appends("Releasing");
const appends = (state: "Open" | "Frozen" | "Releasing") =>
  refusalOf(world.service, (sql) =>
    appendStateChange(sql, sampleBook, { state, reason: "because", actor: "test" }),
  );
async function defersOne(): Promise<void> {
  const order = newId("po");
  const data = { commandId: newUuid(), orderId: order, effectiveAt: "2026-03-02T15:00:00.000Z" };
  const message = createMessage(SettleHold, { book: sampleBook, subject: order, data });
  const key = { commandId: data.commandId, requestHash: "00" };
  await world.units.units.run(({ sql }) => insertDeferredCommands(sql, [{ message, key }]));
}

describe("the freeze log in Postgres", () => {
  it("refuses an event that can't follow the last one", async () => {
    expect(await appends("Open")).toBe("LG021 freeze_in_order");
    expect(await appends("Releasing")).toBe("LG021 freeze_in_order");
    expect(await appends("Frozen")).toBe("nobody refused it");
    expect(await appends("Open")).toBe("LG021 freeze_in_order");
    expect(await appends("Frozen")).toBe("LG021 freeze_in_order");
  });

  it("refuses to open a book with deferred commands left", async () => {
    await freezes();
    await defersOne();
    await releases();
    expect(await appends("Open")).toBe("LG022 deferred_commands_first");
  });

  it("refuses to change an event or a deferred command", async () => {
    await freezes();
    await defersOne();
    const asSuperuser = (text: string) => refusalOf(world.superuser, text);
    expect(await asSuperuser("update freeze_event set reason = 'another'")).toBe("LG001 append_only");
    expect(await asSuperuser("delete from freeze_event")).toBe("LG001 append_only");
    expect(await asSuperuser("truncate freeze_event")).toBe("LG001 append_only");
    expect(await asSuperuser("truncate deferred_command")).toBe("LG001 append_only");
    expect(await asSuperuser("update deferred_command set message = '{}'")).toBe(
      "LG001 deferred_command_identity",
    );
    expect(await asSuperuser("update book_head set state = 'Open'")).toBe("LG001 derived_by_trigger_only");
    expect(await refusalOf(world.service, "update book_head set state = 'Open'")).toBe("42501");
    expect(
      await refusalOf(world.service, (sql) =>
        sql(
          "insert into freeze_event (book_id, number, state, reason, actor) values ($1, 2, 'Releasing', '', 'x')",
          [uuidOf(sampleBook)],
        ),
      ),
    ).toBe("23514 freeze_event_reason_given");
    expect(
      await refusalOf(world.service, (sql) =>
        sql(
          "insert into freeze_event (book_id, number, state, reason, actor) values ($1, 1, 'Frozen', 'x', 'x')",
          [newUuid()],
        ),
      ),
    ).not.toBe("nobody refused it");
  });
});
