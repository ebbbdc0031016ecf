import { Injectable } from "@nestjs/common";
import type { PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { SimulatedBooks } from "../rules/store/simulated-books.ts";
import type { Fault } from "../instructions/domain/faults.ts";
import { FaultRules } from "../instructions/fault-rules.ts";
import type { Submission } from "../instructions/rail-adapter.ts";
import type { RuleFault } from "../rules/domain/rule.ts";
import { type AssignedRule, RulesAtHandOff } from "../rules/rules-at-hand-off.ts";

/** The faults that testers' rules give to payments at hand-off. */
@Injectable()
export class FaultsByRule extends FaultRules {
  readonly #rules: RulesAtHandOff;

  constructor(cipher: SecretCipher) {
    super();
    this.#rules = new RulesAtHandOff(cipher);
  }

  override async assignFaults(
    submissions: readonly Submission[],
    unit: UnitOfWork,
    bookOf: SimulatedBooks,
  ): Promise<ReadonlyMap<PaymentOrderId, Fault>> {
    const rules = await this.#rules.assignRules(submissions, unit, bookOf);
    if (rules.size === 0) return new Map();
    const paymentOf = new Map(submissions.map((submission) => [submission.data.orderId, submission]));
    return new Map(
      [...rules].flatMap(([orderId, assigned]) => {
        const payment = paymentOf.get(orderId);
        if (payment === undefined) return [];
        return [[orderId, faultOf(assigned.rule, chanceOf(assigned, payment, bookOf))] as const];
      }),
    );
  }
}

/**
 * What decides the references of a payment: the same in every run. Orders may share an external id, so the amount
 * counts too. Two orders with the same external id and amount have one return between them.
 */
function chanceOf({ randomKey }: AssignedRule, { book, data }: Submission, bookOf: SimulatedBooks): string {
  return JSON.stringify([bookOf(book).seed, "reference", randomKey, data.amountCents]);
}

/** Members that a fault needs, a rule has: `kindsOfRule` has refused it without them. */
function faultOf({ fault: kind, code, then, delaySeconds, correctedData }: RuleFault, chance: string): Fault {
  switch (kind) {
    case "Return":
    case "LateReturn":
    case "Reject":
    case "OutOfOrder":
    case "DuplicateReturn":
      return { kind, code };
    case "Timeout":
      return { kind, then: then ?? "Settle" };
    case "LostAcknowledgement":
    case "DuplicateFacts":
    case "Outage":
      return { kind };
    case "Delay":
      return { kind, delaySeconds: delaySeconds ?? 0 };
    case "NoticeOfChange":
      return { kind, code: code ?? "", correctedData: correctedData ?? {} };
    case "UnmatchedReturn":
      return { kind, code, chance };
    case "SentBack":
      return { kind, chance };
  }
}
