/** Webhook endpoints of a tenant, and deliveries to them that were made before a measurement. */
import { type BookId, uuidOf } from "../contracts/ids/ids.ts";
import { call } from "../scripts/local/demo/api.ts";
import type { SeededTenant } from "../scripts/local/demo/seed.ts";
import type { Stage } from "./stage.ts";
import { earlierOrderId } from "./workers/earlier-order.ts";

export async function makeEndpoint(
  stage: Stage,
  { keys }: SeededTenant,
  url: string,
): Promise<`we_${string}`> {
  const body = { url, eventTypes: ["payment_order.completed"] };
  const request = { method: "POST", path: "/v1/webhook-endpoints", key: keys.maker, body } as const;
  const made = await twice(() => call<{ id: `we_${string}` }>(gatewayOf(stage), request));
  if (made.status !== 201) throw new Error(`an endpoint: ${JSON.stringify(made.body)}`);
  return made.body.id;
}

/** Again after a failure: the gateway may close a connection that was idle at the moment at which it is used. */
export async function twice<T>(send: () => Promise<T>): Promise<T> {
  return send().catch(send);
}

export const gatewayOf = ({ instances }: Stage) =>
  instances.find(({ service }) => service === "gateway")?.url ?? "";

/**
 * Deliveries with their renderings, in the order of their ids. Pending ones are due, as they are in the table after an
 * instance had no room for them.
 */
export async function insertDeliveries(
  { admin }: Stage,
  { tenant }: SeededTenant,
  {
    endpoint,
    count,
    status,
  }: { readonly endpoint: `we_${string}`; readonly count: number; readonly status: "Pending" | "Delivered" },
) {
  const body = JSON.stringify({
    id: "evt_earlier",
    type: "payment_order.completed",
    created_at: "2026-01-01T00:00:00.000Z",
    data: { id: earlierOrderId },
  });
  await admin.query(
    `with made as materialized (
       select uuidv7() as event_id
       from generate_series(1, $1::int)
     ),
     rendered as (
       insert into webhooks.rendering (event_id, api_version, body)
       select event_id, 'v1', $5
       from made
     )
     insert into webhooks.delivery (id, book_id, event_id, endpoint_id, event_type, api_version, status,
       attempt_count, attempts_allowed, next_attempt_at, claimable_at, acknowledged_at, created_at)
     select uuidv7(), $2, event_id, $3, 'payment_order.completed', 'v1', $4, case when is_due then 0 else 1 end, 3,
       case when is_due then now() end, case when is_due then now() end, case when not is_due then now() end, now()
     from made
     cross join (select $4 = 'Pending' as is_due) due`,
    [count, uuidOf(tenant.testBook as BookId), uuidOf(endpoint), status, body],
  );
  await admin.query("vacuum analyze webhooks.delivery");
}
