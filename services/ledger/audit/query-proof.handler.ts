import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { LedgerJournal, LedgerProof } from "../../../contracts/http/ledger/ledger-proof.ts";
import { Refusal } from "../../../contracts/errors.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import { exactCents, isExact } from "../book/exact-cents.ts";
import { GetLedgerProof, ListLedgerJournals } from "../../../contracts/messages/proofs.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { numberAfter, pageOfRows } from "../../platform/persistence/page.ts";
import { toRecord } from "./domain/journal-json.ts";
import { type ClassTotal, accountingEquation } from "../book/accounting-equation.ts";
import { storedClassTotals } from "./store/page-checks.ts";
import { type ProofRow, readProof } from "./store/proofs.ts";
import { readTenantSnapshot } from "../posting/store/tenant-snapshot.ts";
import { JournalReader } from "./store/read-journals.ts";

/** Lets a tenant, or its auditor, verify its own book. */
@Controller()
export class QueryProof {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** Reads stored totals, in O(1). Refusals: `balance_out_of_range`. */
  @HandlesRequest(GetLedgerProof)
  proof(_nothing: object, { caller: { book } }: RequestContext): Promise<LedgerProof> {
    return readTenantSnapshot(this.#database, book, async (sql) => {
      const [row, totals] = await Promise.all([readProof(sql, book), storedClassTotals(sql, book)]);
      return toProof(row, totals);
    });
  }

  /** Oldest first. Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListLedgerJournals)
  async journals(
    query: z.output<typeof ListLedgerJournals.data>,
    { caller: { book } }: RequestContext,
  ): Promise<Page<LedgerJournal>> {
    const asked = { ...query, list: "ledger-journals" };
    const after = Number(numberAfter(asked) ?? query.afterSequence);
    const rows = await readTenantSnapshot(this.#database, book, (sql) =>
      new JournalReader(sql, book).page(after, query.limit + 1),
    );
    return pageOfRows(rows, query.limit, toRecord, ({ journal }) => String(journal.sequence), asked);
  }
}

function toProof(row: ProofRow | undefined, totals: readonly ClassTotal[]): LedgerProof {
  const equation = accountingEquation(totals);
  const lastSequence = Number(row?.last_seq ?? 0);
  const auditedSequence = Number(row?.audited_seq ?? 0);
  const audited = row !== undefined && row.audited_at !== null && auditedSequence === lastSequence;
  const frozen = row !== undefined && row.state !== "Open";
  return {
    status: frozen ? "Frozen" : audited ? "Proven" : "Pending",
    asOf: (row?.as_of ?? realTime()).toISOString(),
    lastSequence,
    headHash: row?.head ?? null,
    trialBalance: trialBalanceOf(totals),
    equation: {
      heldCents: exactCents(equation.heldCents),
      owedCents: exactCents(equation.owedCents),
      differenceCents: exactCents(equation.differenceCents),
    },
    lastSeal: row === undefined ? null : checkpointOf(row),
    audit: {
      auditedSequence,
      auditedAt: row?.audited_at?.toISOString() ?? null,
      passedAt: row?.scanned_at?.toISOString() ?? null,
    },
    frozenAt: row?.frozen_at?.toISOString() ?? null,
    faults: row?.violations ?? [],
  };
}

function checkpointOf(row: ProofRow): LedgerProof["lastSeal"] {
  const { checkpoint_first_seq, checkpoint_last_seq, checkpoint_head, checkpoint_at } = row;
  if (
    checkpoint_first_seq === null ||
    checkpoint_last_seq === null ||
    checkpoint_head === null ||
    checkpoint_at === null
  )
    return null;
  return {
    firstSequence: Number(checkpoint_first_seq),
    lastSequence: Number(checkpoint_last_seq),
    headHash: checkpoint_head,
    sealedAt: checkpoint_at.toISOString(),
  };
}

/** Refusals: `balance_out_of_range`, for good: no posting makes all debits, or all credits, less. */
function grossCents(total: bigint): number {
  if (isExact(total)) return Number(total);
  throw new Refusal(
    "balance_out_of_range",
    "All debits of the book, or all credits, sum up to more than a JSON number holds exactly, so JSON can't show its proof any more. GET /v1/ledger/journals gives every total as text, with the hash chain.",
  );
}

/** Discharge lines count on the side on which they were entered; they release the other side. */
function trialBalanceOf(totals: readonly ClassTotal[]): LedgerProof["trialBalance"] {
  const currencies = [...new Set(totals.map(({ currency }) => currency))].sort();
  return currencies.flatMap((currency) => {
    const own = totals.filter((total) => total.currency === currency).map(({ counters }) => counters);
    const sum = (of: (counters: (typeof own)[number]) => bigint) =>
      own.reduce((all, next) => all + of(next), 0n);
    const line = (layer: "Pending" | "Posted", debit: bigint, credit: bigint) => ({
      layer,
      currency: currency as "USD",
      debitCents: grossCents(debit),
      creditCents: grossCents(credit),
      differenceCents: exactCents(debit - credit),
    });
    return [
      line(
        "Pending",
        sum(({ heldDebit, releasedCredit }) => heldDebit + releasedCredit),
        sum(({ heldCredit, releasedDebit }) => heldCredit + releasedDebit),
      ),
      line(
        "Posted",
        sum(({ postedDebit }) => postedDebit),
        sum(({ postedCredit }) => postedCredit),
      ),
    ];
  });
}
