import { describe, expect, it } from "vitest";
import { type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { ApplyApprovalRights, ApproveOrder, CancelOrder } from "../../../contracts/messages/orders.ts";
import { ApprovalRightChanged } from "../../../contracts/messages/tenants.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { asAdmin, connectTo } from "../../../test/stack/servers/database.ts";
import { until } from "../../../test/stack/until.ts";
import { createMessage } from "../../platform/messages/message.ts";

// The test plays the gateway, which tells of principals that lose the right to approve or get it again.
const orders = new OrdersOnTest();

const lost = "1970-01-01T00:00:00.000Z";
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

async function tell(
  principal: string,
  sequence: number,
  heldUntil: string | null,
  heldSince?: string,
): Promise<void> {
  const { book } = orders.caller();
  const data = { principal, heldUntil, heldSince };
  const event = createMessage(ApprovalRightChanged, { book, subject: principal, sequence, data });
  await orders.apply(event, ApprovalRightChanged);
}

/** An order that needs one approval and has it, before its hold is placed. */
async function approvedBy(principal: string): Promise<PaymentOrderId> {
  const { id } = await orders.create({ amountCents: 1_000_001 });
  await orders.approve(id, principal);
  return id;
}
const isSent = async (id: PaymentOrderId) => (await orders.commandNames(id)).includes("submit-instruction");
/** The approvals that counted when the order went to its rail. */
const approvalsSent = async (id: PaymentOrderId) => {
  await until(`${id} at its rail`, () => isSent(id));
  return (await orders.read(id)).approval.received;
};
const waits = async (id: PaymentOrderId) => {
  await orders.untilPhase(id, "AwaitingApproval");
  return (await orders.read(id)).approval;
};

describe("several changes of rights in one request", () => {
  it("are recorded by the latest of each principal, whatever their order", async () => {
    const right = (principal: string, sequence: number, heldUntil: string | null) => ({
      principal,
      sequence,
      heldUntil,
      heldSince: null,
    });
    const caller = orders.stranger();
    const many = Array.from({ length: 1_000 }, (_, index) => right(`many ${String(index)}`, 1, lost));
    const rights = [right("zoe", 2, null), ...many, right("zoe", 1, lost), right("amy", 3, lost)];
    await orders.request(ApplyApprovalRights, { rights }, { caller });
    await orders.request(ApplyApprovalRights, { rights: [right("amy", 2, null)] }, { caller });
    const recorded = await orders.sql(
      `select principal, sequence, held_until
       from approval_right
       where book_id = $1 and principal not like 'many %'
       order by principal`,
      [uuidOf(caller.book)],
    );
    expect(recorded).toEqual([
      { principal: "amy", sequence: 3, held_until: new Date(lost) },
      { principal: "zoe", sequence: 2, held_until: null },
    ]);
    expect(
      await orders.sql("select 1 from approval_right where book_id = $1", [uuidOf(caller.book)]),
    ).toHaveLength(1_002);
  });
});

describe("an approval", () => {
  it("counts at the hand-off while its principal may approve", async () => {
    await tell("ann", 1, inAnHour());
    const id = await approvedBy("ann");
    await orders.holdPlaced(id);
    expect(await approvalsSent(id)).toBe(1);
  });

  it("does not count once its principal may not approve any more: the order waits for another", async () => {
    const id = await approvedBy("ben");
    await tell("ben", 1, lost);
    await orders.holdPlaced(id);
    expect(await waits(id)).toMatchObject({
      required: 1,
      received: 0,
      approvals: [{ principal: "ben" }],
    });
    expect(await isSent(id)).toBe(false);
    await orders.approve(id, "cat");
    expect(await approvalsSent(id)).toBe(1);
  });

  it("does not count after its principal's last key has expired, which no event reports", async () => {
    const id = await approvedBy("dan");
    await tell("dan", 1, new Date(Date.now() + 1).toISOString());
    await orders.holdPlaced(id);
    expect(await waits(id)).toMatchObject({ required: 1, received: 0 });
    expect(await isSent(id)).toBe(false);
  });

  it("counts again when a rotation ends with a key, and the order continues by itself", async () => {
    const id = await approvedBy("eve");
    await tell("eve", 1, lost);
    await orders.holdPlaced(id);
    await waits(id);
    await tell("eve", 2, null);
    expect(await approvalsSent(id)).toBe(1);
  });

  it("does not count again after a new key: its principal approves again", async () => {
    const id = await approvedBy("gil");
    await tell("gil", 1, lost);
    await orders.holdPlaced(id);
    await waits(id);
    await tell("gil", 2, null, new Date().toISOString());
    await orders.approve(id, "gil");
    expect(await approvalsSent(id)).toBe(1);
    expect((await orders.read(id)).approval.approvals.map(({ principal }) => principal)).toEqual([
      "gil",
      "gil",
    ]);
  });

  it("follows the event with the highest sequence, in whatever order the events come", async () => {
    const id = await approvedBy("fay");
    await tell("fay", 3, lost);
    await tell("fay", 2, null);
    await tell("fay", 1, inAnHour());
    await orders.holdPlaced(id);
    expect(await waits(id)).toMatchObject({ received: 0 });
    expect(await isSent(id)).toBe(false);
  });

  it("does not count from the gateway's request on, before any event of it", async () => {
    const id = await approvedBy("hal");
    const rights = [{ principal: "hal", sequence: 1, heldUntil: lost }];
    await orders.request(ApplyApprovalRights, { rights });
    await orders.holdPlaced(id);
    expect(await waits(id)).toMatchObject({ required: 1, received: 0 });
    expect(await isSent(id)).toBe(false);
  });

  it("counts at once with a new key, whose right comes with the approval and before its event", async () => {
    const id = await approvedBy("ivy");
    await tell("ivy", 1, lost);
    await orders.holdPlaced(id);
    await waits(id);
    const right = { principal: "ivy", sequence: 2, heldUntil: null, heldSince: new Date().toISOString() };
    const caller = orders.caller("ivy");
    const { value } = await orders.request(ApproveOrder, { id, right }, { caller });
    expect(value.approval.received).toBe(1);
    expect(await approvalsSent(id)).toBe(1);
  });

  it("does not count by a right that is older than the known one, or another principal's", async () => {
    for (const [principal, right] of [
      ["joe", { principal: "joe", sequence: 1, heldUntil: null }],
      ["kim", { principal: "not kim", sequence: 3, heldUntil: null }],
    ] as const) {
      await tell(principal, 2, lost);
      const { id } = await orders.create({ amountCents: 1_000_001 });
      await orders.request(ApproveOrder, { id, right }, { caller: orders.caller(principal) });
      await orders.holdPlaced(id);
      expect(await waits(id)).toMatchObject({ required: 1, received: 0 });
    }
  });
});

describe("a right whose row another session has locked", () => {
  it("delays its own book's decisions, and no other book's requests", async () => {
    await tell("lee", 1, inAnHour());
    const session = await connectTo(orders.database.adminUrl);
    await session.query("begin");
    await session.query("select 1 from orders.approval_right where principal = 'lee' for update");
    const right = (sequence: number) => ({ principal: "lee", sequence, heldUntil: inAnHour() });
    const { id } = await orders.create({ amountCents: 1_000_001 });
    const delayed = Array.from({ length: 15 }, (_, index) => [
      orders.request(ApplyApprovalRights, { rights: [right(index)] }),
      orders.request(ApproveOrder, { id, right: right(index) }, { caller: orders.caller("lee") }),
    ]).flat();
    const settled = Promise.allSettled(delayed);
    const stranger = orders.stranger();
    const theirs = await orders.create({}, { caller: stranger });
    const { value } = await orders.request(CancelOrder, { id: theirs.id }, { caller: stranger });
    expect(value.cancellable).toBe(false);
    await session.end();
    expect((await settled).filter(({ status }) => status === "fulfilled")).toHaveLength(16);
  });
});

describe("a lost right", () => {
  // As the statement of a book with tens of thousands of waiting orders did, which took too long.
  const noOrderCanBeMadeDue = [
    `create function orders.refuse_due() returns trigger language plpgsql as
     $$ begin raise 'took too long' using errcode = '57014'; end $$`,
    "create trigger refuse_due before update of due_at on orders.payment_order execute function orders.refuse_due()",
  ];

  it("is recorded although no order can be made due, and voids the approvals of waiting orders later", async () => {
    const id = await orders.waitingWire();
    await orders.approve(id, "mia");
    await asAdmin(orders.database.adminUrl, ...noOrderCanBeMadeDue);
    try {
      const rights = [{ principal: "mia", sequence: 1, heldUntil: lost }];
      await orders.request(ApplyApprovalRights, { rights });
      const recorded = await orders.sql("select held_until from approval_right where principal = 'mia'");
      expect(recorded).toEqual([{ held_until: new Date(lost) }]);
    } finally {
      await asAdmin(orders.database.adminUrl, "drop function orders.refuse_due() cascade");
    }
    const isVoid = "progress #>> '{approvals,given,0,isVoid}' = 'true'";
    const found = () => orders.sql(`select from payment_order where id = $1 and ${isVoid}`, [uuidOf(id)]);
    await until("a void approval", async () => (await found()).length === 1);
    expect((await orders.read(id)).approval).toMatchObject({ required: 2, received: 0 });
  });
});
