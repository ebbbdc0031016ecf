import { Controller, Inject } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import { newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  AmendObligation,
  FixObligation as FixObligationRequest,
} from "../../../contracts/messages/obligations.ts";
import { readTimeIn } from "../../platform/clock/book-clocks.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import {
  expenseClassOf,
  liabilityNameOf,
  liabilityOf,
  type Obligation,
  type ObligationLine,
  sumOf,
  rejectUnrealBasis,
} from "../book/obligation.ts";
import { withSameSum } from "../book/obligation-history.ts";
import { chartAccountId, chartCurrency } from "../book/chart-of-accounts.ts";
import { findAccount } from "../accounts/store/accounts.ts";
import { insertLiability } from "../posting/store/accounts.ts";
import { createBooks } from "../posting/store/lock-books.ts";
import { insertObligationEvents, saveObligation } from "../posting/store/obligations.ts";
import { postJournals } from "../posting/post-journals.ts";
import {
  isHistoryFull,
  requireStatus,
  refusalOf,
  type ObligationTarget,
  ObligationWriter,
} from "./with-locked-obligation.ts";

/** Accrues an obligation: the whole amount when it is fixed, and the difference when it is amended. */
@Controller()
export class FixObligation {
  readonly #obligations: ObligationWriter;

  constructor(@Inject(ObligationWriter) obligations: ObligationWriter) {
    this.#obligations = obligations;
  }

  /**
   * Accrues the whole amount: debits the expense account, credits the obligation's own liability account. Refusals:
   * `not_found`, `precondition_failed`, `invalid_state_transition`, `basis_is_demo_data` and `basis_missing_input`
   * naming the line, `name_taken`, `balance_out_of_range`, `service_unavailable` (the book is frozen).
   */
  @HandlesRequest(FixObligationRequest)
  fix(target: ObligationTarget, context: RequestContext) {
    return this.#obligations.run(target, context, "fix-obligation", async (obligation, unit) => {
      requireStatus(obligation, ["Open"], "Amend it if the figures have changed.");
      refuseUnreal(obligation.lines);
      await openAccounts(unit, obligation, context);
      await accrue(unit, obligation, obligation.lines, context);
    });
  }

  /**
   * Replaces the lines and books the difference. Refused while an order pays the obligation, because that order's
   * amount can't change, and when its history is full (`invalid_state_transition`). Refusals: those of `fix` but
   * `name_taken`, and `amended_below_paid`.
   */
  @HandlesRequest(AmendObligation)
  amend(
    { amendment, ...target }: ObligationTarget & { amendment: { lines: readonly ObligationLine[] } },
    context: RequestContext,
  ) {
    const { lines } = amendment;
    return this.#obligations.run(target, context, "amend-obligation", async (obligation, unit) => {
      requireStatus(
        obligation,
        ["Fixed", "Relieved"],
        obligation.status === "Open"
          ? "Change its lines by PATCH until it is fixed."
          : "Amend it when the order that pays it has ended, or cancel that order.",
      );
      refuseUnreal(lines);
      await refuseFullHistory(unit, obligation);
      if (sumOf(lines) !== obligation.fixedCents) return accrue(unit, obligation, lines, context);
      const move = withSameSum(obligation, lines, {
        actor: context.caller.principal,
        at: (await readTimeIn(unit.sql, obligation.book)).toISOString(),
      });
      return Promise.all([saveObligation(unit.sql, move.after), insertObligationEvents(unit.sql, [move])]);
    });
  }
}

async function refuseFullHistory({ sql }: UnitOfWork, obligation: Obligation): Promise<void> {
  if (!(await isHistoryFull(sql, obligation, "amend"))) return;
  throw new Refusal(
    "invalid_state_transition",
    "Its history has more than 512 KiB. Record the difference as a further obligation.",
    { context: { resourceId: obligation.id } },
  );
}

/** Refused here with the line in its context; `decide` refuses it again, without the line. */
function refuseUnreal(lines: readonly ObligationLine[]): void {
  const reason = rejectUnrealBasis(lines);
  if (reason !== null) throw refusalOf(reason);
}

/** Opens its liability account, and the expense account if the book has none yet. Refusals: `name_taken`. */
async function openAccounts(
  { sql }: UnitOfWork,
  obligation: Obligation,
  { caller }: RequestContext,
): Promise<void> {
  const { book, tenant, mode } = caller;
  const expense = chartAccountId(book, expenseClassOf[obligation.type]);
  if ((await findAccount(sql, uuidOf(book), uuidOf(expense))) === undefined) {
    await createBooks(sql, [{ book, tenantId: tenant, mode }]);
  }
  const account = {
    id: liabilityOf(obligation.id),
    name: liabilityNameOf(obligation),
    currency: chartCurrency,
  };
  if (await insertLiability(sql, book, account)) return;
  const detail = `This book has an account named ${account.name} already. Give the obligation another reference.`;
  throw new Refusal("name_taken", detail);
}

async function accrue(
  { sql }: UnitOfWork,
  obligation: Obligation,
  lines: readonly ObligationLine[],
  { caller }: RequestContext,
): Promise<void> {
  const [outcome] = await postJournals(sql, [
    {
      book: obligation.book,
      command: {
        kind: "Accrue",
        commandId: newUuid(),
        transactionId: newId("lt"),
        obligationId: obligation.id,
        lines,
        actor: caller.principal,
        effectiveAt: (await readTimeIn(sql, obligation.book)).toISOString(),
      },
    },
  ]);
  if (outcome?.result === "Refused") throw refusalOf(outcome);
}
