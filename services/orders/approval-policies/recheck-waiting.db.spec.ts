import { expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { PutApprovalPolicy } from "../../../contracts/messages/orders.ts";
import { ClocksOfOrders } from "../../../test/stack/clocks-of-orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders.ts";
import { until } from "../../../test/stack/until.ts";
import { defaultApprovalPolicy } from "../order/approval-policy.ts";

const orders = new OrdersOnTest(2);
const clocks = new ClocksOfOrders(orders);
const policy = { ...defaultApprovalPolicy, dualApprovalRails: ["Wire" as const] };

/** 2,500 orders that wait for approval, not due for a day, in a book whose clock stands. */
async function manyWaiting() {
  const caller = await clocks.manualBook("2027-02-10T15:00:00.000Z");
  const terms = { rail: "Rtp", amountCents: 1_000_001 } as const;
  const id = await orders.createdTo("AwaitingApproval", terms, { caller });
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
  return caller;
}

it("makes all waiting orders of a book due after its policy has changed, a batch at a time", async () => {
  const caller = await manyWaiting();
  const inBook = [uuidOf(caller.book)];
  const rows = (text: string) => orders.sql(text, inBook);
  await orders.request(PutApprovalPolicy, { ...policy, dualApprovalThresholdCents: 1_000_000 }, { caller });
  const raised = "progress #>> '{approvals,required}' = '2'";
  await until(
    async () => (await rows(`select from payment_order where book_id = $1 and ${raised}`)).length === 2_500,
  );
  await until(async () => (await rows("select from gate_recheck where book_id = $1")).length === 0);
  expect(await rows(`select from payment_order where book_id = $1 and ${raised}`)).toHaveLength(2_500);
});
