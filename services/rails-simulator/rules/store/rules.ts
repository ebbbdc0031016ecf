import { type BookId, idOf, type InjectionId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { OrderDirection } from "../../../../contracts/rails/rails.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { MatchKind, Rule } from "../domain/rule.ts";

export interface RuleRow {
  injection_id: string;
  number: number;
  match_kind: MatchKind;
  match_value: string;
  direction: OrderDirection | null;
  acts_on: Rule["actsOn"];
  fault: Rule["fault"];
  code: string | null;
  then_does: Rule["then"];
  delay_seconds: number | null;
  corrected_data: Rule["correctedData"];
  share: number | null;
  seed: string | null;
  max_count: number | null;
  applied: number;
  until: Date | null;
}

export const ruleColumns = `injection_id, number, match_kind, match_value, direction, acts_on, fault, code, then_does, delay_seconds,
  corrected_data, share, seed, max_count, applied, until`;

export function ruleOf(row: RuleRow): Rule {
  return {
    id: idOf("inj", row.injection_id),
    number: row.number,
    match: { kind: row.match_kind, value: row.match_value },
    direction: row.direction,
    actsOn: row.acts_on,
    fault: row.fault,
    code: row.code,
    then: row.then_does,
    delaySeconds: row.delay_seconds,
    correctedData: row.corrected_data,
    share: row.share,
    seed: row.seed,
    count: row.max_count,
    applied: row.applied,
    until: row.until,
  };
}

/** A rule to store. */
export interface NewRule extends Omit<Rule, "number" | "applied"> {
  /** Of the account number that it matches. */
  readonly account: { readonly keyId: string; readonly last4: string } | null;
  readonly createdBy: string;
}

/** Stores a rule as the newest of its book. Two that are made at once are numbered one after the other. */
export async function insertRule(sql: Sql, book: BookId, rule: NewRule): Promise<void> {
  await sql(
    `with numbered as (
       insert into injection_book as b (book_id, rules, changes)
       values ($1, 1, 1)
       on conflict on constraint injection_book_pkey do update
         set rules = b.rules + 1, changes = b.changes + 1
       returning rules
     )
     insert into injection (book_id, injection_id, number, match_kind, match_value, direction, account_key_id,
       account_last4, acts_on, fault, code, then_does, delay_seconds, corrected_data, share, seed,
       max_count, until, created_by)
     select $1, $2, rules, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18
     from numbered`,
    [
      uuidOf(book),
      uuidOf(rule.id),
      rule.match.kind,
      rule.match.value,
      rule.direction,
      rule.account?.keyId ?? null,
      rule.account?.last4 ?? null,
      rule.actsOn,
      rule.fault,
      rule.code,
      rule.then,
      rule.delaySeconds,
      rule.correctedData === null ? null : JSON.stringify(rule.correctedData),
      rule.share,
      rule.seed,
      rule.count,
      rule.until,
      rule.createdBy,
    ],
  );
}

/**
 * Ends the rules of a book whose `until` has passed when it is `now` there. `EndOutages` ends outages. Leaves those
 * that a hand-off has locked, so it waits for none. By ctid (5,000 rules of a table that was never analysed: a second;
 * joined by id: 27).
 */
export async function endPastRules(sql: Sql, book: BookId, now: Date): Promise<void> {
  await sql(
    `update injection
     set status = 'Ended', ended_at = until
     where ctid = any (array(
       select ctid
       from injection
       where book_id = $1
         and status = 'Active'
         and fault <> 'Outage'
         and until <= $2
       for update skip locked
     ))`,
    [uuidOf(book), now],
  );
}

/** How many active rules the book has, counted up to `most`. Call `endPastRules` first. */
export async function countActiveRules(sql: Sql, book: BookId, most: number): Promise<number> {
  const rows = await sql(
    `select 1
     from injection
     where book_id = $1
       and status = 'Active'
     limit $2`,
    [uuidOf(book), most],
  );
  return rows.length;
}

/**
 * Ends an active rule. False if it has ended. Locks the book's row before the rule, as a hand-off does. For an outage,
 * call `lockAgainstHandOffs` first.
 */
export async function endRule(
  sql: Sql,
  book: BookId,
  id: InjectionId,
  endedBy: string | null,
): Promise<boolean> {
  await sql("update injection_book set changes = changes + 1 where book_id = $1", [uuidOf(book)]);
  const ended = await sql(
    `update injection
     set status = 'Ended', ended_by = $3, ended_at = clock_timestamp()
     where book_id = $1
       and injection_id = $2
       and status = 'Active'
     returning 1`,
    [uuidOf(book), uuidOf(id), endedBy],
  );
  return ended.length > 0;
}

/** The rules of a book that are active when it is `now` there, from the oldest on. */
export async function readActiveRules(sql: Sql, book: BookId, now: Date): Promise<Rule[]> {
  const rows = await sql<RuleRow>(
    `select ${ruleColumns}
     from injection
     where book_id = $1
       and status = 'Active'
       and (until is null or until > $2)
     order by number`,
    [uuidOf(book), now],
  );
  return rows.map(ruleOf);
}

export interface RuleOfBook {
  readonly book: BookId;
  readonly id: InjectionId;
}

/**
 * Locks those of the rules that are still active, and returns how often each has acted. In order of id, so that two
 * batches never deadlock.
 */
export async function lockActiveRules(
  sql: Sql,
  rules: readonly RuleOfBook[],
): Promise<Map<InjectionId, Pick<Rule, "applied">>> {
  const sorted = rules.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rows = await sql<{ injection_id: string; applied: number }>(
    `select i.*
     from unnest($1::uuid[], $2::uuid[]) as wanted (book_id, injection_id)
     cross join lateral (
       select injection_id, applied
       from injection
       where book_id = wanted.book_id
         and injection_id = wanted.injection_id
         and status = 'Active'
       for update
     ) i`,
    [sorted.map(({ book }) => uuidOf(book)), sorted.map(({ id }) => uuidOf(id))],
  );
  return new Map(rows.map(({ injection_id: id, applied }) => [idOf("inj", id), { applied }]));
}

/** Counts how often rules have acted, and ends those that are used up. Call `lockActiveRules` first. */
export async function countApplied(
  sql: Sql,
  rules: readonly (RuleOfBook & { readonly times: number })[],
): Promise<void> {
  await sql(
    `update injection i
     set applied = i.applied + c.times,
         status = case when i.applied + c.times = i.max_count then 'Used' else i.status end,
         ended_at = case when i.applied + c.times = i.max_count then clock_timestamp() end
     from unnest($1::uuid[], $2::uuid[], $3::int[]) as c (book_id, injection_id, times)
     where i.book_id = c.book_id
       and i.injection_id = c.injection_id`,
    [
      rules.map(({ book }) => uuidOf(book)),
      rules.map(({ id }) => uuidOf(id)),
      rules.map(({ times }) => times),
    ],
  );
}
