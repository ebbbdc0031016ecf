import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { refusalCodeOf } from "../../../contracts/errors.ts";
import type { InboundPayment } from "../../../contracts/http/ledger/inbound-payments.ts";
import {
  type inboxLedgerProposals,
  type InboxLedgerProposal,
  maxInboxCount,
  maxInboxEntries,
} from "../../../contracts/http/inbox.ts";
import { currency as knownCurrency } from "../../../contracts/money.ts";
import { ReadLedgerInbox } from "../../../contracts/messages/ledger-transactions.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { listProposedAssignments } from "../inbound-payments/store/list-inbound-payments.ts";
import { toInboundPayment } from "../inbound-payments/store/inbound-payments.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";
import {
  movedCents,
  needsApproval,
  requireAnothersProposal,
  requireApprover,
} from "../transactions/require-approval.ts";
import { readTransactionPolicy, type TransactionPolicy } from "../transactions/store/transaction-policies.ts";
import {
  listPendingTransactions,
  toLedgerTransaction,
  type TransactionPageRow,
} from "../transactions/store/transactions.ts";
import { countProposals } from "./store/count-proposals.ts";

type Rights = z.output<typeof ReadLedgerInbox.data>;

/** What waits in the ledger for a second person. */
@Controller()
export class ReadInbox {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** Newest first. */
  @HandlesRequest(ReadLedgerInbox)
  async read(rights: Rights, { caller }: RequestContext): Promise<z.output<typeof inboxLedgerProposals>> {
    const limit = maxInboxEntries + 1;
    const policy = await readTransactionPolicy(this.#database.sql, caller.book);
    const { transactions, payments, count } = await readTenantSnapshot(
      this.#database,
      caller.book,
      async (sql, book) => ({
        transactions: await listPendingTransactions(sql, book, limit),
        payments: await listProposedAssignments(sql, book, limit),
        count: await countProposals(sql, book, maxInboxCount),
      }),
    );
    const mineOf = mineBy(caller.principal, rights, policy);
    const found = [
      ...transactions.map((row) => ofTransaction(row, mineOf)),
      ...payments.map(toInboundPayment).flatMap((payment) => ofPayment(payment, mineOf)),
    ].sort((one, other) => other.proposedAt.localeCompare(one.proposedAt));
    const data = found.slice(0, maxInboxEntries);
    return { data, count, hasMore: found.length > data.length };
  }
}

type MineOf = (proposedBy: string | null, amountCents: number) => InboxLedgerProposal["mine"];

/** Whether this caller could post a transaction now, or make an assignment: the rules of the two requests. */
function mineBy(
  principal: string,
  { mayApprove, mayWrite }: Rights,
  policy: TransactionPolicy | undefined,
): MineOf {
  return (proposedBy, amountCents) => {
    const code = refusalCodeOf(() => {
      if (!mayWrite) requireAnothersProposal({ principal, mayApprove, proposedBy });
      if (needsApproval(policy, [{ direction: "Debit", amountCents }]))
        requireApprover({ principal, mayApprove, creator: proposedBy });
    });
    return { allowed: code === null, code };
  };
}

function ofTransaction(row: TransactionPageRow, mineOf: MineOf): InboxLedgerProposal {
  const { id, description, currency, entries, createdAt } = toLedgerTransaction(row);
  const amountCents = movedCents(entries);
  return {
    kind: "LedgerTransaction",
    id,
    amountCents,
    currency: knownCurrency.parse(currency),
    description: description ?? "",
    ledgerAccountId: null,
    href: `/v1/ledger-transactions/${id}`,
    proposedBy: row.created_by,
    proposedAt: createdAt,
    mine: mineOf(row.created_by, amountCents),
  };
}

function ofPayment(
  { id, amountCents, currency, originatorName, proposedAssignment }: InboundPayment,
  mineOf: MineOf,
): InboxLedgerProposal[] {
  if (proposedAssignment === null) return [];
  const { ledgerAccountId, proposedBy, proposedAt } = proposedAssignment;
  return [
    {
      kind: "InboundAssignment",
      id,
      amountCents,
      currency,
      description: originatorName,
      ledgerAccountId,
      href: `/v1/inbound-payments/${id}`,
      proposedBy,
      proposedAt,
      mine: mineOf(proposedBy, amountCents),
    },
  ];
}
