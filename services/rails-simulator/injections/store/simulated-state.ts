import type { SimulatedOrder } from "../../../../contracts/http/sandbox/simulated-rails.ts";
import {
  type BookId,
  idOf,
  type InjectionId,
  type PaymentOrderId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { OrderDirection, Rail, RailReference } from "../../../../contracts/rails/rails.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Injection } from "../../instructions/domain/injection.ts";
import type { Scenario } from "../../instructions/domain/scenarios.ts";
import type { UndeliveredKind } from "../../instructions/store/undelivered-instructions.ts";

const reasons = {
  Injection: "Call",
  Rule: "Rule",
  MagicNumber: "MagicNumber",
  Success: "Success",
} as const satisfies Record<Scenario["reason"], SimulatedOrder["reason"]>;

interface OrderRow {
  submitted_at: Date | null;
  reason: Scenario["reason"] | null;
  pending_action: Injection["action"] | null;
  pending_code: string | null;
  rail_reference: RailReference | null;
  silenced: boolean | null;
  undelivered: UndeliveredKind | null;
  injection_id: string | null;
  called_after: boolean;
}

/** What the simulator knows of an order, but for its steps. */
export async function readSimulatedOrder(
  sql: Sql,
  book: BookId,
  id: PaymentOrderId,
): Promise<Omit<SimulatedOrder, "steps">> {
  const [row] = await sql<OrderRow>(
    `select i.submitted_at, i.reason, i.pending_action, i.pending_code, i.rail_reference, i.silenced,
       (select kind from undelivered_instruction where order_id = k.order_id) as undelivered,
       (
         select injection_id
         from simulation_log
         where order_id = k.order_id
           and kind = 'InjectionApplied'
       ) as injection_id,
       exists (
         select from simulation_log l
         where l.book_id = k.book_id
           and l.order_id = k.order_id
           and l.kind = 'PaymentOrderSimulated'
           and l.details ->> 'effect' = 'Applied'
       ) as called_after
     from (select $1::uuid as book_id, $2::uuid as order_id) k
     left join instruction i on i.order_id = k.order_id and i.book_id = k.book_id`,
    [uuidOf(book), uuidOf(id)],
  );
  const isAtRail = (row?.submitted_at ?? null) !== null;
  const { pending_action: action = null } = row ?? {};
  const notAtRail = row?.undelivered ?? "NotHandedOff";
  return {
    paymentOrderId: id,
    state: isAtRail ? "AtRail" : notAtRail,
    reason: isAtRail && row?.reason ? (row.called_after ? "Call" : reasons[row.reason]) : null,
    injectionId: row?.injection_id ? idOf("inj", row.injection_id) : null,
    kept: isAtRail || action === null ? null : { action, code: row?.pending_code ?? null },
    handedOffAt: row?.submitted_at?.toISOString() ?? null,
    railReference: row?.rail_reference ?? null,
    silenced: row?.silenced === true,
  };
}

/** What a rail has to do for a book. */
export interface RailLoad {
  readonly rail: Rail;
  readonly held: number;
  readonly inFlight: number;
  readonly nextStepAt: Date | null;
}

/** The most payments that are counted. */
export const maxCounted = 1_000;

/** What the rails have to do for a book, each counted up to `maxCounted`. Rails without anything are left out. */
export async function readRailLoads(sql: Sql, book: BookId, rails: readonly Rail[]): Promise<RailLoad[]> {
  const rows = await sql<{ rail: Rail; held: bigint; in_flight: bigint; next_step_at: Date | null }>(
    `select r.rail, held.n as held, flying.n as in_flight, flying.next_step_at
     from unnest($2::text[]) as r (rail)
     cross join lateral (
       select count(*) as n
       from (
         select
         from undelivered_instruction
         where book_id = $1
           and kind = 'Held'
           and submission #>> '{data,rail}' = r.rail
         limit $3
       ) h
     ) held
     cross join lateral (
       select count(*) as n, min(f.next_due_at) as next_step_at
       from (
         (select next_due_at
          from instruction
          where book_id = $1
            and on_book_clock
            and next_due_at is not null
            and rail = r.rail
          order by next_due_at
          limit $3)
         union all
         (select next_due_at
          from instruction
          where book_id = $1
            and not on_book_clock
            and next_due_at is not null
            and rail = r.rail
          order by next_due_at
          limit $3)
       ) f
     ) flying`,
    [uuidOf(book), rails, maxCounted],
  );
  return rows.map((row) => ({
    rail: row.rail,
    held: Number(row.held),
    inFlight: Math.min(Number(row.in_flight), maxCounted),
    nextStepAt: row.next_step_at,
  }));
}

/** An active rule, by what it acts on. */
export interface ActiveRuleView {
  readonly id: InjectionId;
  readonly isOutage: boolean;
  readonly actsOn: readonly `${Rail}/${OrderDirection}`[];
}

/** The active rules of a book when it is `now` there, the oldest first. */
export async function readActiveRuleViews(sql: Sql, book: BookId, now: Date): Promise<ActiveRuleView[]> {
  const rows = await sql<{ injection_id: string; is_outage: boolean; acts_on: ActiveRuleView["actsOn"] }>(
    `select injection_id, fault = 'Outage' as is_outage, acts_on
     from injection
     where book_id = $1
       and status = 'Active'
       and (until is null or until > $2)
     order by number`,
    [uuidOf(book), now],
  );
  return rows.map((row) => ({
    id: idOf("inj", row.injection_id),
    isOutage: row.is_outage,
    actsOn: row.acts_on,
  }));
}
