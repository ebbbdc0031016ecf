/** What concerns thousands of orders of a book is done for all of them. No statement changes more than a thousand. */
import { beforeAll, expect, it } from "vitest";
import { type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { PutApprovalPolicy, SetCompletionDelay } from "../../../contracts/messages/orders.ts";
import { ClocksOfOrders } from "../../../test/stack/orders/clocks-of-orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { asAdmin } from "../../../test/stack/servers/database.ts";
import { until } from "../../../test/stack/until.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { defaultApprovalPolicy } from "../order/approval-policy.ts";

const orders = new OrdersOnTest(2);
const clocks = new ClocksOfOrders(orders);
const fridayEvening = "2038-02-12T22:30:00.000Z";
const policy = { ...defaultApprovalPolicy, dualApprovalRails: ["Wire" as const] };

beforeAll(() =>
  asAdmin(
    orders.database.adminUrl,
    `create function orders.refuse_many() returns trigger language plpgsql as $$ begin
       if (select count(*) from changed) > 1000 then raise 'one statement changed more than 1,000 orders'; end if;
       return null;
     end $$`,
    `create trigger refuse_many after update on orders.payment_order referencing new table as changed
     for each statement execute function orders.refuse_many()`,
  ),
);

/** Makes 2,500 orders of one. */
async function multiply(id: PaymentOrderId): Promise<void> {
  const [columns] = await orders.sql<{ names: string[] }>(
    `select array_agg(attname::text order by attnum) as names
     from pg_attribute
     where attrelid = 'payment_order'::regclass and attnum > 0
       and not attisdropped`,
  );
  const names = columns?.names ?? [];
  const copied = names.map((name) => (name === "id" ? "gen_random_uuid()" : `o.${name}`));
  await orders.sql(
    `insert into payment_order (${names.join()})
     select ${copied.join()} from payment_order o, generate_series(1, 2499) where o.id = $1`,
    [uuidOf(id)],
  );
}

/** Waits until this is true of all of the book's orders, and nothing is left to go through. */
async function allAre({ book }: Caller, condition: string): Promise<void> {
  const inBook = [uuidOf(book)];
  const left = async (text: string) => (await orders.sql(text, inBook)).length;
  await until(`all orders with ${condition}`, async () => {
    const others = await left(`select from payment_order where book_id = $1 and (${condition}) is not true`);
    return others === 0;
  });
  for (const table of ["gate_recheck", "order_recheck"]) {
    await until(`no ${table}`, async () => (await left(`select from ${table} where book_id = $1`)) === 0);
  }
}

it("makes all waiting orders of a book due after its policy has changed", async () => {
  const caller = await clocks.manualBook("2038-02-10T15:00:00.000Z");
  const terms = { rail: "Rtp", amountCents: 1_000_001 } as const;
  await multiply(await orders.createdTo("AwaitingApproval", terms, { caller }));
  await orders.request(PutApprovalPolicy, { ...policy, dualApprovalThresholdCents: 1_000_000 }, { caller });
  const raised = "progress #>> '{approvals,required}' = '2'";
  await expect(allAre(caller, raised)).resolves.toBeUndefined();
});

it("computes anew when all orders that wait for returns complete, after another delay was set", async () => {
  const caller = await clocks.manualBook("2038-03-02T17:00:00.000Z");
  const id = await orders.createdTo("HandingOff", {}, { caller });
  await orders.instructionSettled(id);
  await orders.untilPhase(id, "AwaitingReturns");
  await multiply(id);
  const operator = new RpcClient(await orders.messaging.connectAs("operator"));
  await operator.request(SetCompletionDelay, { caller }, { completesAfterBankingDays: 0 });
  const nextDay = "due_at_in_book = '2038-03-03T05:00:00Z'";
  await expect(allAre(caller, nextDay)).resolves.toBeUndefined();
});

it("moves all orders that wait in a book over to its first clock, before an advance goes on", async () => {
  const caller = clocks.newCaller();
  const id = await orders.waitingWire({ caller });
  await multiply(id);
  const standsAt = new Date(Date.now() + 60_000).toISOString();
  await clocks.standAt(caller, standsAt, 1);
  // Their approval is looked at again within the hour.
  await until(async () => (await clocks.nextDueAt(caller)) !== standsAt);
  const moved = await orders.sql(
    "select from payment_order where book_id = $1 and due_at is null and due_at_in_book > $2",
    [uuidOf(caller.book), standsAt],
  );
  expect(moved).toHaveLength(2_500);
});

it("ends the wait of all orders of a book whose clock is made Instant", async () => {
  const caller = await clocks.manualBook(fridayEvening);
  await multiply(await orders.createdTo("AwaitingWindow", {}, { caller }));
  await clocks.goOn(caller, "Instant", fridayEvening, 2);
  await expect(allAre(caller, "phase = 'HandingOff'")).resolves.toBeUndefined();
});

it("ends it too where the book had no clock before", async () => {
  const caller = clocks.newCaller();
  const id = await orders.createdTo("HandingOff", {}, { caller });
  await orders.sql("update payment_order set due_at = '2039-01-01' where id = $1", [uuidOf(id)]);
  await multiply(id);
  await clocks.goOn(caller, "Instant", fridayEvening, 1);
  // The rail was asked, and is asked again seconds later.
  await expect(allAre(caller, "due_at_in_book < '2038-02-13'")).resolves.toBeUndefined();
});
