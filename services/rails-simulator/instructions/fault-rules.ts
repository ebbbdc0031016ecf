import type { PaymentOrderId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { SimulatedBooks } from "../rules/store/simulated-books.ts";
import type { Fault } from "./domain/faults.ts";
import type { Submission } from "./rail-adapter.ts";

/**
 * The faults that testers' rules give to payments. `SimulatedRail` asks at each hand-off, also when an instruction
 * comes again: the same instruction always gets the same fault, and counts once.
 */
export abstract class FaultRules {
  /**
   * Assigns to each submission the fault of the oldest rule that matches it. Locks these rules, counts the payments on
   * which they act, ends those that are used up and writes the log.
   */
  abstract assignFaults(
    submissions: readonly Submission[],
    unit: UnitOfWork,
    bookOf: SimulatedBooks,
  ): Promise<ReadonlyMap<PaymentOrderId, Fault>>;
}

/** No rules: every payment goes as its account number says. */
export const noFaultRules: FaultRules = { assignFaults: () => Promise.resolve(new Map()) };
