import type { z } from "zod";
import type { InjectionFault, TimeoutThen } from "../../../../contracts/http/sandbox/injections.ts";
import type { InjectionId, PaymentOrderId } from "../../../../contracts/ids/ids.ts";
import type { CreateInjection } from "../../../../contracts/messages/injections.ts";
import type { OrderDirection, Rail } from "../../../../contracts/rails/rails.ts";

export const matchKinds = ["Order", "ExternalId", "Rail", "Account"] as const;
export type MatchKind = (typeof matchKinds)[number];

/** The one thing that a rule matches payments by. An account number is its keyed hash. */
export interface RuleMatch {
  readonly kind: MatchKind;
  readonly value: string;
}

export type RailAndDirection = `${Rail}/${OrderDirection}`;

export type CorrectedData = NonNullable<z.output<typeof CreateInjection.data>["correctedData"]>;

/** What a rule makes the rail do. */
export interface RuleFault {
  readonly fault: InjectionFault;
  readonly code: string | null;
  readonly then: TimeoutThen | null;
  readonly delaySeconds: number | null;
  readonly correctedData: CorrectedData | null;
}

/** A rule of a tester for what rails do with the payments that it matches (the API calls it an injection). */
export interface Rule extends RuleFault {
  readonly id: InjectionId;
  /** Of two rules that match a payment, the one with the lower number acts. */
  readonly number: number;
  readonly match: RuleMatch;
  readonly direction: OrderDirection | null;
  /** Where its fault and code are possible, within what it matches. */
  readonly actsOn: readonly RailAndDirection[];
  /** Acts on this share of the payments; null: on all. */
  readonly share: number | null;
  readonly seed: string | null;
  /** The most payments on which it acts. */
  readonly count: number | null;
  readonly applied: number;
  /** Ends at this time of the book's clock. */
  readonly until: Date | null;
}

/** A payment that is handed off, as rules see it. */
export interface RuledPayment {
  readonly orderId: PaymentOrderId;
  readonly externalId: string | null;
  readonly rail: Rail;
  readonly direction: OrderDirection;
  /** The keyed hashes of its account number, one per key; empty if the book has no rule for an account. */
  readonly accountHashes: readonly string[];
  /**
   * Identifies the payment for random choices. The same in every run of a simulation, so it is never the order's id.
   */
  readonly randomKey: string;
}
