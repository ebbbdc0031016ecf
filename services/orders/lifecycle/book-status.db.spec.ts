import { afterEach, describe, expect, it } from "vitest";
import { BookFrozen, BookUnfrozen } from "../../../contracts/messages/books.ts";
import { SubmitOrder } from "../../../contracts/messages/orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { expectRefusal } from "../../../test/stack/refusals.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { TenantStatusChanged } from "../../../contracts/messages/tenants.ts";
import { until } from "../../../test/stack/until.ts";
import { createMessage } from "../../platform/messages/message.ts";
import { PhaseTimeouts } from "./phase-timeouts.worker.ts";

// While the ledger has frozen a book, orders accepts no new orders in it, hands none off and loses none.
const orders = new OrdersOnTest();
let freezeVersion = 0;
afterEach(() => unfreeze());

function publish(type: typeof BookFrozen | typeof BookUnfrozen, version: number): Promise<void> {
  const { book } = orders.caller();
  const data = type === BookFrozen ? { reason: "a digest does not fit" } : {};
  return orders.apply(
    createMessage(type, { book, subject: book, sequence: version, data: data as never }),
    type,
  );
}
const freeze = () => publish(BookFrozen, (freezeVersion += 1));
const unfreeze = () => publish(BookUnfrozen, (freezeVersion += 1));

describe("orders of a frozen book", () => {
  it("can't be created or submitted, and the key is free again", async () => {
    const draft = await orders.create({ submit: false });
    await freeze();
    const key = "one-key";
    await expectRefusal(orders.create({}, { key }), "service_unavailable", {
      message: expect.stringContaining("is frozen"),
    });
    await expectRefusal(orders.create({ submit: false }), "service_unavailable");
    await expectRefusal(orders.request(SubmitOrder, { id: draft.id }), "service_unavailable");
    await unfreeze();
    expect((await orders.create({}, { key })).status).toBe("Submitted");
  });

  it("are replayed under an Idempotency-Key that is already stored", async () => {
    const first = await orders.create({}, { key: "known" });
    await freeze();
    expect((await orders.create({}, { key: "known" })).id).toBe(first.id);
  });

  it("wait before the hand-off until the book is unfrozen, and then continue by themselves", async () => {
    const { id } = await orders.create();
    await freeze();
    await orders.holdPlaced(id);
    await orders.untilPhase(id, "AwaitingApproval");
    expect(await orders.commandNames(id)).not.toContain("submit-instruction");
    // As if its last approval had come during the freeze: it is due at the next check of its approval deadline.
    await orders.sql("update payment_order set due_at = now() + interval '1 hour' where id = $1", [
      uuidOf(id),
    ]);
    await unfreeze();
    await until(async () => (await orders.commandNames(id)).includes("submit-instruction"));
  });

  it("follow the event with the highest version, in whatever order the events come", async () => {
    const [older, newer] = [(freezeVersion += 1), (freezeVersion += 1)];
    await publish(BookUnfrozen, newer);
    await publish(BookFrozen, older);
    expect((await orders.create()).status).toBe("Submitted");
  });

  it("of another tenant continue", async () => {
    await freeze();
    const other = orders.stranger();
    expect((await orders.create({}, { caller: other })).status).toBe("Submitted");
  });
});

describe("orders of a suspended tenant", () => {
  const hour = 3_600_000;
  const sendStatus = (active: boolean, version: number | undefined, time = new Date()) => {
    const { book, tenant } = orders.caller();
    const message = { book, subject: tenant, data: { tenantId: tenant, active } };
    const event = createMessage(TenantStatusChanged, {
      ...message,
      ...(version === undefined ? {} : { sequence: version }),
    });
    return orders.apply({ ...event, time: time.toISOString() }, TenantStatusChanged);
  };
  let statusVersion = 0;
  const setActive = (active: boolean) => sendStatus(active, (statusVersion += 1));
  const timeOutIn = (ms: number) => orders.get(PhaseTimeouts).processDue(new Date(Date.now() + ms));

  it("are handed off once the tenant is active again", async () => {
    const { id } = await orders.create();
    await setActive(false);
    await orders.holdPlaced(id);
    await orders.untilPhase(id, "AwaitingApproval");
    await timeOutIn(31_000);
    expect(await orders.phaseOf(id)).toBe("AwaitingApproval");
    await setActive(true);
    await timeOutIn(120_000);
    expect(await orders.phaseOf(id)).toBe("HandingOff");
  });

  it("follow the operator's latest change, whatever the clocks say and whichever message came last", async () => {
    const [suspended, active] = [(statusVersion += 1), (statusVersion += 1)];
    await sendStatus(true, active, new Date(Date.now() - hour));
    await sendStatus(false, suspended);
    const { id } = await orders.create();
    await orders.holdPlaced(id);
    await expect(orders.untilPhase(id, "HandingOff")).resolves.toBe(true);
  });

  it("follow a change with a version, not one of the previous release, which has none", async () => {
    await setActive(true);
    await sendStatus(false, undefined, new Date(Date.now() + hour));
    const { id } = await orders.create();
    await orders.holdPlaced(id);
    await expect(orders.untilPhase(id, "HandingOff")).resolves.toBe(true);
  });
});
