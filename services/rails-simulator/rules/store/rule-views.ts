import type { InjectionView } from "../../../../contracts/http/sandbox/injections.ts";
import { type BookId, idOf, type InjectionId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { maskedAccountNumber, type Rail } from "../../../../contracts/rails/rails.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { ruleColumns, ruleOf, type RuleRow } from "./rules.ts";

interface ViewRow extends RuleRow {
  status: InjectionView["status"];
  account_last4: string | null;
  created_by: string;
  created_at: Date;
  ended_by: string | null;
  ended_at: Date | null;
  shadowed_by: string | null;
}

/** One rule of the book when it is `now` there, or undefined. */
export async function readRule(
  sql: Sql,
  book: BookId,
  id: InjectionId,
  now: Date,
): Promise<InjectionView | undefined> {
  const [row] = await sql<ViewRow>(viewsOf("b.injection_id = $3"), [uuidOf(book), now, uuidOf(id)]);
  return row === undefined ? undefined : viewOf(row);
}

/** The book's rules before `before`, newest first, `limit + 1` of them. */
export async function listRules(
  sql: Sql,
  book: BookId,
  now: Date,
  { before, limit }: { before: string; limit: number },
): Promise<InjectionView[]> {
  const rows = await sql<ViewRow>(
    viewsOf(`b.injection_id < $3
     order by b.injection_id desc
     limit $4`),
    [uuidOf(book), now, before, limit + 1],
  );
  return rows.map(viewOf);
}

/**
 * The rules of book $1 when it is $2 there. An older rule shadows one if it takes all of its payments for good: it has
 * neither a share nor a count, and does not end before. Outages only delay. A rule that acts on one rail only can be
 * shadowed by one for that rail.
 */
function viewsOf(which: string): string {
  return `select ${ruleColumns.replaceAll(/\w+/g, "b.$&")}, b.account_last4, b.created_by, b.created_at, b.ended_by,
       case when b.status = 'Active' and b.until <= $2 then 'Ended' else b.status end as status,
       case when b.status = 'Active' and b.until <= $2 then b.until else b.ended_at end as ended_at,
       s.injection_id as shadowed_by
     from injection b
     left join lateral (
       select a.injection_id
       from (values (b.match_kind, b.match_value), ('Rail', split_part(b.acts_on[1], '/', 1))) m (kind, value)
       cross join lateral (
         select injection_id, number
         from injection
         where book_id = b.book_id
           and match_kind = m.kind
           and match_value = m.value
           and number < b.number
           and status = 'Active'
           and max_count is null
           and coalesce(share, 1) = 1
           and fault <> 'Outage'
           and acts_on @> b.acts_on
           and (until is null or (until > $2 and until >= b.until))
         order by number
         limit 1
       ) a
       where b.status = 'Active'
         and b.fault <> 'Outage'
         and (b.until is null or b.until > $2)
       order by a.number
       limit 1
     ) s on true
     where b.book_id = $1
       and ${which}`;
}

function viewOf(row: ViewRow): InjectionView {
  const rule = ruleOf(row);
  const { kind, value } = rule.match;
  const corrected = rule.correctedData;
  return {
    id: rule.id,
    status: row.status,
    match: {
      orderId: kind === "Order" ? idOf("po", value) : null,
      externalId: kind === "ExternalId" ? value : null,
      rail: kind === "Rail" ? (value as Rail) : null,
      accountNumber: row.account_last4 === null ? null : maskedAccountNumber(row.account_last4),
      direction: rule.direction,
    },
    fault: rule.fault,
    code: rule.code,
    then: rule.then,
    delaySeconds: rule.delaySeconds,
    correctedData:
      corrected === null
        ? null
        : {
            accountNumber:
              corrected.accountNumber === undefined
                ? null
                : maskedAccountNumber(corrected.accountNumber.last4),
            routingNumber: corrected.routingNumber ?? null,
            name: corrected.name ?? null,
            transactionCode: corrected.transactionCode ?? null,
            individualId: corrected.individualId ?? null,
          },
    share: rule.share,
    seed: rule.seed,
    count: rule.count,
    until: rule.until?.toISOString() ?? null,
    applied: rule.applied,
    shadowedBy: row.shadowed_by === null ? null : idOf("inj", row.shadowed_by),
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    endedBy: row.ended_by,
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}
