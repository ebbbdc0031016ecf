import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { LedgerAccount } from "../../../contracts/http/ledger/ledger-accounts.ts";
import { isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { CloseLedgerAccount } from "../../../contracts/messages/ledger.ts";
import { notFound } from "../../../contracts/not-found.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { isSystem } from "../book/chart-of-accounts.ts";
import { closeAccount, findAccount, toLedgerAccount } from "./store/accounts.ts";
import { lockBooks } from "../posting/store/lock-books.ts";

/** Closes an empty account. Money that the bank moves for it later is booked to Suspense. */
@Controller()
export class CloseAccount {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /**
   * Refusals: `not_found`, `system_account_not_postable`, `invalid_state_transition` with the balances that are not
   * zero; `service_unavailable` (the book is frozen).
   */
  @HandlesRequest(CloseLedgerAccount)
  close(
    { id }: z.output<typeof CloseLedgerAccount.data>,
    context: RequestContext,
  ): Promise<LedgerAccount | IdempotentReplay<LedgerAccount>> {
    const operation = { name: "close-account", resourceId: (account: LedgerAccount) => account.id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, () => close(unit.sql, id, context)),
    );
  }
}

async function close(sql: Sql, id: string, { caller }: RequestContext): Promise<LedgerAccount> {
  const book = uuidOf(caller.book);
  // While the head is locked nobody else appends a journal to the book, so an empty account stays empty.
  await lockBooks(sql, [caller.book]);
  const row = isId("la", id) ? await findAccount(sql, book, uuidOf(id)) : undefined;
  if (row === undefined) throw notFound("ledger account");
  if (isSystem(row.class)) {
    throw new Refusal(
      "system_account_not_postable",
      `${row.name} is a system account and can't be closed. Name an account of your own.`,
    );
  }
  const account = toLedgerAccount(row);
  if (account.status === "Closed") {
    throw notNow("The account is already closed and can't be opened again.", {
      currentStatus: "Closed",
      allowedStatuses: ["Open"],
    });
  }
  const open = stillOpen(account);
  if (open.length > 0) {
    throw notNow(`The account has ${open.join(", ")}. Bring its balances to zero first.`, {
      currentStatus: "Open",
      resourceId: account.id,
    });
  }
  await closeAccount(sql, book, row.account_id);
  const closed = await findAccount(sql, book, row.account_id);
  if (closed === undefined) throw new TypeError("the closed account was not found");
  return toLedgerAccount(closed);
}

/** The balances that are not zero, as text. */
function stillOpen(account: LedgerAccount): string[] {
  const cents = {
    posted: account.postedBalanceCents,
    pending: account.pendingBalanceCents,
    "pending inbound": account.pendingInboundCents,
  };
  return Object.entries(cents)
    .filter(([, held]) => held !== 0)
    .map(([what, held]) => `${String(held)} cents ${what}`);
}

function notNow(detail: string, context: Readonly<Record<string, unknown>>): Refusal {
  return new Refusal("invalid_state_transition", detail, { context });
}
