import type { Counterparty as CounterpartyView } from "../../../contracts/http/payments/counterparties.ts";
import { isId } from "../../../contracts/ids/ids.ts";
import { requireVersion } from "../../../contracts/if-match.ts";
import { notFound } from "../../../contracts/not-found.ts";
import type { RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import type { UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { type Counterparty, counterpartyView } from "../order/counterparty.ts";
import { updateCounterparty } from "./store/counterparties.ts";

/** The counterparty that a caller names, and the versions that its If-Match allows; any if it is absent. */
interface Target {
  readonly id: string;
  readonly ifMatch?: readonly number[] | undefined;
}

/**
 * Locks one counterparty, compares its version with If-Match, saves the result of `change` and answers with it. If
 * `change` throws a `Refusal`, nothing is written and the Idempotency-Key can be used again. Refusals: `not_found`,
 * `precondition_failed`, `external_id_in_use`.
 */
export function withLockedCounterparty(
  units: UnitOfWorkRunner,
  operation: string,
  { id, ifMatch }: Target,
  request: RequestContext,
  change: (counterparty: Counterparty, unit: UnitOfWork) => Counterparty | Promise<Counterparty>,
): Promise<CounterpartyView | IdempotentReplay<CounterpartyView>> {
  return units.runFor(request, (unit) =>
    withIdempotency(
      unit,
      request,
      { name: operation, resourceId: (view: CounterpartyView) => view.id },
      async () => {
        if (!isId("cp", id)) throw notFound("counterparty");
        const changed = await updateCounterparty(
          unit.em,
          { book: request.caller.book, id },
          (counterparty) => {
            requireVersion("counterparty", counterparty, ifMatch);
            return change(counterparty, unit);
          },
        );
        if (changed === undefined) throw notFound("counterparty");
        return counterpartyView(changed);
      },
    ),
  );
}
