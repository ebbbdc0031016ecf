import type { WebhookErrorClass } from "../../../../contracts/http/webhooks/webhooks.ts";
import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { uuidArray } from "../../../platform/persistence/uuid-array.ts";
import type { DeliveryStatus } from "../domain/retry-schedule.ts";
import { claimableSql } from "./retries-in-book.ts";

export interface AttemptRow {
  readonly id: string;
  readonly deliveryId: string;
  readonly book: string;
  readonly leaseId: string;
  readonly at: Date;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  /** Ours: the attempt is not counted. */
  readonly errorClass: WebhookErrorClass | null;
  /** In ms; null for a phase that was not needed or did not end. */
  readonly timings: {
    readonly dnsMs: number | null;
    readonly connectMs: number | null;
    readonly tlsMs: number | null;
    readonly firstByteMs: number | null;
  };
  readonly acknowledged: boolean;
  /** The delivery's new status. */
  readonly status: DeliveryStatus;
  /** In real time, without the jitter. */
  readonly nextAttemptAt: Date | null;
  /** By how much the next attempt is later, in a book whose clock does not stand still. */
  readonly jitterMs: number;
  /** The endpoint, if it has `disableAfterDays`; else null. */
  readonly endpointToDisable: string | null;
}

const recordAttemptsSql = `with result as (
    select r.*, r.at + r.duration_ms * interval '1 millisecond' as ended_at,
      r.next_attempt_at + r.jitter_ms * interval '1 millisecond' as jittered_at,
      r.error_class is not distinct from 'Ours' as is_ours
    from (select set_config('lock_timeout', '500ms', true)) as limited
    cross join unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::int[], $5::int[], $6::text[], $7::text[],
      $8::text[], $9::int[], $10::int[], $11::int[], $12::int[],
      $13::uuid[], $14::boolean[], $15::text[], $16::timestamptz[], $17::int[], $18::uuid[])
      as r (id, delivery_id, at, duration_ms, response_status, response_body, error,
        error_class, dns_ms, connect_ms, tls_ms, first_byte_ms,
        lease_id, acknowledged, status, next_attempt_at, jitter_ms, book_id)
  ),
  inserted as (
    insert into attempt (delivery_id, id, at, duration_ms, response_status, response_body, error, error_class,
      dns_ms, connect_ms, tls_ms, first_byte_ms)
    select delivery_id, id, at, duration_ms, response_status, response_body, error, error_class,
      dns_ms, connect_ms, tls_ms, first_byte_ms
    from result r
    where case
      when r.is_ours then (
        select a.error_class
        from attempt a
        where a.delivery_id = r.delivery_id
        order by a.id desc
        limit 1
      ) is distinct from 'Ours'
      else true
    end
  )
  update delivery d
  set status = r.status,
    attempt_count = d.attempt_count + case when r.is_ours then 0 else 1 end,
    next_attempt_at = coalesce(c.next_in_book, r.jittered_at),
    due_in_book = case when not r.is_ours then c.next_in_book end,
    claimable_at = coalesce(c.claimable_at, r.jittered_at),
    lease_id = null,
    acknowledged_at = case when r.acknowledged then coalesce(d.acknowledged_at, r.at) else d.acknowledged_at end
  from result r
  left join lateral (
    select t.next_in_book,
      case when not r.is_ours then ${claimableSql("b", "t.next_in_book", "r.ended_at")} end as claimable_at
    from book_clock b
    cross join lateral (
      select ${timeInSql("b", "r.ended_at")}
        + (case when b.stands_at is null then r.jittered_at else r.next_attempt_at end - r.ended_at) as next_in_book
    ) t
    where b.book_id = r.book_id
      and r.next_attempt_at is not null
    for share of b
  ) c on true
  where d.id = r.delivery_id
    and (d.lease_id = r.lease_id or r.acknowledged)`;

/**
 * Inserts attempts and updates their deliveries in one statement. Every attempt is stored. It updates its delivery
 * only if its lease is the latest; an acknowledgement always does, because the receiver has the event.
 *
 * It waits half a second for a lock at most, because attempts of other books wait with it. The statement sets that
 * limit itself; it holds until the transaction ends.
 *
 * A new delivery that is acknowledged changes no indexed column: its update is a HOT update
 * (record-attempts.db.spec.ts).
 *
 * In a book with a clock of its own, the pause before the next attempt is one on that clock, without jitter if it is
 * Manual. Its row is locked, so that a change of the clock finds every retry that was recorded by the time before.
 *
 * A failure on our side is not counted as an attempt, and the pause after it is real. Only the first one of several in
 * a row is stored: while our resolver is away, each delivery would get one every ten seconds.
 */
export async function recordAttempts(sql: Sql, attempts: readonly AttemptRow[]): Promise<void> {
  await sql(recordAttemptsSql, [
    uuidArray(attempts.map((attempt) => attempt.id)),
    uuidArray(attempts.map((attempt) => attempt.deliveryId)),
    arrayLiteral(attempts.map((attempt) => attempt.at.toISOString())),
    arrayLiteral(attempts.map((attempt) => attempt.durationMs)),
    arrayLiteral(attempts.map((attempt) => attempt.responseStatus)),
    attempts.map((attempt) => attempt.responseBody),
    attempts.map((attempt) => attempt.error),
    arrayLiteral(attempts.map((attempt) => attempt.errorClass)),
    arrayLiteral(attempts.map(({ timings }) => timings.dnsMs)),
    arrayLiteral(attempts.map(({ timings }) => timings.connectMs)),
    arrayLiteral(attempts.map(({ timings }) => timings.tlsMs)),
    arrayLiteral(attempts.map(({ timings }) => timings.firstByteMs)),
    uuidArray(attempts.map((attempt) => attempt.leaseId)),
    arrayLiteral(attempts.map((attempt) => attempt.acknowledged)),
    arrayLiteral(attempts.map((attempt) => attempt.status)),
    arrayLiteral(attempts.map((attempt) => attempt.nextAttemptAt?.toISOString() ?? null)),
    arrayLiteral(attempts.map((attempt) => attempt.jitterMs)),
    uuidArray(attempts.map((attempt) => attempt.book)),
  ]);
}
