/** Finds out how far an event came that its receiver did not get. */
import { OrderStatusChanged } from "../../../contracts/messages/orders.ts";
import { idOf } from "../../../contracts/ids/ids.ts";
import type { World } from "../../world/world.ts";

interface Trace {
  readonly id: string;
  readonly outbox: string;
  readonly event: boolean;
  readonly delivery: string | null;
  readonly attempts: string[] | null;
}

/**
 * The number of orders per phase, and the first events that were published and not received, with how far each came.
 */
export async function traceLostMessages(world: World): Promise<string> {
  const phases = await world.rows(
    `select phase, count(*)::int as orders, min(external_id) as for_example
     from orders.payment_order
     group by phase
     order by phase`,
  );
  const traces = await world.rows<Trace>(
    `with o as (
       select (f.message ->> 'id')::uuid as message_id, x.book_id, x.published_at
       from orders.outbox x, jsonb_array_elements(('[' || x.message || ']')::jsonb) f (message)
       where x.subject like $1
     )
     select o.message_id::text as id,
       case when o.published_at is null then 'waits' else 'published' end as outbox,
       exists (
         select from webhooks.event e where e.book_id = o.book_id and e.id = o.message_id
       ) as event,
       d.status || ', claimable ' || coalesce(d.claimable_at::text, 'never') || ', now ' || now() as delivery,
       (
         select array_agg(a.at || ' ' || coalesce(a.response_status::text, '') || ' ' || coalesce(a.error, ''))
         from webhooks.attempt a
         where a.delivery_id = d.id
       ) as attempts
     from o
     left join webhooks.delivery d on d.event_id = o.message_id`,
    [`${OrderStatusChanged.subject}.%`],
  );
  const received = new Set(world.receiver.deliveries.map(({ id }) => id));
  const lost = traces.filter(({ id }) => !received.has(idOf("evt", id)));
  return JSON.stringify({ phases, lost: lost.slice(0, 5) }, null, 2);
}
