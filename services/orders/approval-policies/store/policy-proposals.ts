import type { InferEntity } from "@mikro-orm/core";
import type { EntityManager } from "@mikro-orm/postgresql";
import type { PolicyProposal } from "../../../../contracts/http/payments/approval-policies.ts";
import { type BookId, idOf, type ProposalId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { aboveAllUuids } from "../../../platform/persistence/page.ts";
import { type ApprovalPolicy, policyOf } from "../../order/approval-policy.ts";
import { ProposalEntity } from "./policy-proposal.entity.ts";

/** A looser policy that one principal proposed and another must approve. */
export interface Proposal {
  readonly id: ProposalId;
  readonly status: PolicyProposal["status"];
  readonly policy: ApprovalPolicy;
  readonly loosens: readonly string[];
  /** The version of the policy in force that it was compared with. */
  readonly againstVersion: number;
  readonly proposedBy: string;
  readonly proposedAt: Date;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
}

function toProposal({ book: _book, ...entity }: InferEntity<typeof ProposalEntity>): Proposal {
  return { ...entity, id: idOf("prop", entity.id), policy: policyOf(entity.policy) };
}

export async function insertProposal(em: EntityManager, book: BookId, proposal: Proposal): Promise<void> {
  const keys = { book: uuidOf(book), id: uuidOf(proposal.id) };
  em.create(ProposalEntity, { ...proposal, ...keys, loosens: [...proposal.loosens] });
  await em.flush();
}

/** A proposal of the book, or undefined. Lock the policy first. */
export async function readProposal(
  em: EntityManager,
  book: BookId,
  id: ProposalId,
): Promise<Proposal | undefined> {
  const found = await em.findOne(ProposalEntity, { book: uuidOf(book), id: uuidOf(id) });
  return found === null ? undefined : toProposal(found);
}

export async function saveDecision(em: EntityManager, book: BookId, decided: Proposal): Promise<void> {
  const { id, status, decidedBy, decidedAt } = decided;
  const keys = { book: uuidOf(book), id: uuidOf(id) };
  await em.nativeUpdate(ProposalEntity, keys, { status, decidedBy, decidedAt });
}

/** Closes the open proposals; `principal` is the one who changed the policy. */
export async function supersedeProposals(
  em: EntityManager,
  book: BookId,
  principal: string,
  at: Date,
): Promise<void> {
  const open = { book: uuidOf(book), status: "Open" } as const;
  await em.nativeUpdate(ProposalEntity, open, { status: "Superseded", decidedBy: principal, decidedAt: at });
}

/**
 * A page of the book's proposals, newest first, with one more than `limit` if there are more. A statement per status
 * reads a page of the index; with `in` Postgres would read all proposals of all the statuses before it sorts them.
 */
export async function listProposals(
  em: EntityManager,
  book: BookId,
  { limit, status }: { limit: number; status?: readonly Proposal["status"][] | undefined },
  afterUuid: string | null,
): Promise<Proposal[]> {
  const found: InferEntity<typeof ProposalEntity>[] = [];
  for (const filter of status?.map((one) => ({ status: one })) ?? [{}]) {
    const page = { book: uuidOf(book), id: { $lt: afterUuid ?? aboveAllUuids }, ...filter };
    found.push(...(await em.find(ProposalEntity, page, { orderBy: { id: "desc" }, limit: limit + 1 })));
  }
  return found
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit + 1)
    .map(toProposal);
}

/** How many proposals of the book are open, counted up to `most`. */
export async function countOpenProposals(sql: Sql, book: BookId, most: number): Promise<number> {
  const [row] = await sql<{ count: number }>(
    `select count(*)::int as count
     from (
       select
       from policy_proposal
       where book_id = $1
         and status = 'Open'
       limit $2
     ) open`,
    [uuidOf(book), most],
  );
  return row?.count ?? 0;
}
