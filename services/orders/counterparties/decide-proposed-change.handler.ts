import { Controller, Inject } from "@nestjs/common";
import type { Counterparty as CounterpartyView } from "../../../contracts/http/payments/counterparties.ts";
import type { ProposedChange as ProposedChangeView } from "../../../contracts/http/payments/proposed-changes.ts";
import { isId } from "../../../contracts/ids/ids.ts";
import { AcceptProposedChange, DismissProposedChange } from "../../../contracts/messages/orders.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import {
  HandlesRequest,
  type IdempotentReplay,
  type RequestContext,
} from "../../platform/handlers/decorators.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { checkAccounts, replaceDetails } from "../order/counterparty.ts";
import {
  correctedDetails,
  decided,
  type ProposedChange,
  proposedChangeView,
} from "./domain/proposed-change.ts";
import { closeOutdatedChanges } from "./close-outdated-changes.ts";
import type { CounterpartyKey } from "./store/counterparties.ts";
import { lockCounterparties, readChange, saveChange } from "./store/proposed-changes.ts";
import { withLockedCounterparty } from "./with-locked-counterparty.ts";

interface Target {
  readonly id: string;
  readonly changeId: string;
}

/** Accepts or dismisses what the bank of a counterparty corrects. */
@Controller()
export class DecideProposedChange {
  readonly #units: UnitOfWorkRunner;
  readonly #decrypt: SecretCipher["decrypt"];

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner, @Inject(SecretCipher) cipher: SecretCipher) {
    this.#units = units;
    this.#decrypt = cipher.decrypt.bind(cipher);
  }

  /**
   * Gives the counterparty the corrected data, as a PUT of the same principal would. Refusals: those of
   * `withLockedCounterparty` and `checkAccounts`, `not_found`, `invalid_state_transition`.
   */
  @HandlesRequest(AcceptProposedChange)
  accept(
    { changeId, ...target }: Target & { readonly ifMatch?: number[] | undefined },
    request: RequestContext,
  ): Promise<CounterpartyView | IdempotentReplay<CounterpartyView>> {
    const by = { principal: request.caller.principal, now: realTime() };
    const decrypt = this.#decrypt;
    const operation = "accept-change-of-counterparty";
    return withLockedCounterparty(this.#units, operation, target, request, async (counterparty, { sql }) => {
      const change = await findChange(sql, counterparty, changeId);
      const accepted = decided(change, "Accepted", by);
      const details = correctedDetails(counterparty, change);
      checkAccounts(details.accounts, decrypt);
      const corrected = replaceDetails(counterparty, details, by, decrypt);
      await saveChange(sql, counterparty.book, accepted);
      await closeOutdatedChanges(sql, { before: counterparty, after: corrected }, "Corrected", {
        by,
        decrypt,
      });
      return corrected;
    });
  }

  /** Leaves the counterparty as it is. Refusals: `not_found`, `invalid_state_transition`. */
  @HandlesRequest(DismissProposedChange)
  dismiss(
    { id, changeId }: Target,
    request: RequestContext,
  ): Promise<ProposedChangeView | IdempotentReplay<ProposedChangeView>> {
    const operation = {
      name: "dismiss-change-of-counterparty",
      resourceId: (view: ProposedChangeView) => view.id,
    };
    const { book, principal } = request.caller;
    return this.#units.runFor(request, (unit) =>
      withIdempotency(unit, request, operation, async () => {
        if (!isId("cp", id)) throw notFound("counterparty");
        await lockCounterparties(unit.sql, [{ book, id }]);
        const change = await findChange(unit.sql, { book, id }, changeId);
        const dismissed = decided(change, "Dismissed", { principal, now: realTime() });
        await saveChange(unit.sql, book, dismissed);
        return proposedChangeView(dismissed);
      }),
    );
  }
}

/** The caller has locked the counterparty. Refusals: `not_found`. */
async function findChange(sql: Sql, counterparty: CounterpartyKey, id: string): Promise<ProposedChange> {
  const found = isId("chg", id) ? await readChange(sql, counterparty, id) : undefined;
  if (found === undefined) throw notFound("proposed change");
  return found;
}
