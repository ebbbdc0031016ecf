import { Inject, Injectable } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type { Counterparty as CounterpartyView } from "../../../contracts/http/payments/counterparties.ts";
import { isId } from "../../../contracts/ids/ids.ts";
import { notFound } from "../../../contracts/not-found.ts";
import type { RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { type Counterparty, counterpartyView } from "../order/counterparty.ts";
import { lockCounterparty } from "./store/counterparties.ts";

/** Which counterparty a caller means, and the versions of it that it has in mind; any when it names none. */
interface Meant {
  readonly id: string;
  readonly ifMatch?: readonly number[] | undefined;
}

/** What replacing and verifying share: lock the one counterparty, compare versions, change it, answer with it. */
@Injectable()
export class ChangeCounterparty {
  readonly #units: UnitOfWorkRunner;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner) {
    this.#units = units;
  }

  /** `change` writes and gives what it became, or throws a `Refusal`; then nothing is written, and a key is free again. */
  run(
    name: string,
    { id, ifMatch }: Meant,
    ask: RequestContext,
    change: (counterparty: Counterparty, sql: Sql) => Promise<Counterparty>,
  ): Promise<CounterpartyView | IdempotentReplay<CounterpartyView>> {
    return this.#units.run((unit) =>
      withIdempotency(unit, ask, { name, resourceId: (view: CounterpartyView) => view.id }, async () => {
        if (!isId("cp", id)) throw notFound("counterparty");
        const counterparty = await lockCounterparty(unit.sql, { book: ask.caller.book, id });
        if (counterparty === undefined) throw notFound("counterparty");
        if (ifMatch !== undefined && !ifMatch.includes(counterparty.version))
          throw changedMeanwhile(counterparty);
        return counterpartyView(await change(counterparty, unit.sql));
      }),
    );
  }
}

function changedMeanwhile({ id, version }: Counterparty): Refusal {
  return new Refusal(
    "precondition_failed",
    "The counterparty is not at the version that If-Match names. Read it again, and send the ETag that it has then.",
    { context: { resourceId: id, currentVersion: version } },
  );
}
