import { Injectable } from "@nestjs/common";
import type { PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { BookTimes } from "../instructions/book-times.ts";
import type { Fault } from "../instructions/domain/faults.ts";
import { FaultRules } from "../instructions/fault-rules.ts";
import type { Submission } from "../instructions/rail-adapter.ts";
import type { RuleFault } from "../rules/domain/rule.ts";
import { RulesAtHandOff } from "../rules/rules-at-hand-off.ts";

/** The faults that testers' rules give to payments at hand-off. */
@Injectable()
export class FaultsByRule extends FaultRules {
  readonly #rules: RulesAtHandOff;

  constructor(cipher: SecretCipher) {
    super();
    this.#rules = new RulesAtHandOff(cipher);
  }

  override async faultsOf(
    submissions: readonly Submission[],
    { sql }: UnitOfWork,
    times: BookTimes,
  ): Promise<ReadonlyMap<PaymentOrderId, Fault>> {
    const rules = await this.#rules.rulesFor(submissions, sql, times);
    return new Map([...rules].map(([orderId, rule]) => [orderId, faultOf(rule)]));
  }
}

/** Members that a fault needs, a rule has: `kindsOfRule` has refused it without them. */
function faultOf({ fault: kind, code, then, delaySeconds, correctedData }: RuleFault): Fault {
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
  }
}
