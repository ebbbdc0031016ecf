/** Payment orders and book contexts for tests of the pure model. A test names only what it changes. */
import { bookIdOf, idOf, type Mode } from "../../../contracts/ids/ids.ts";
import { defaultApprovalPolicy } from "../../../services/orders/order/approval-policy.ts";
import { applyEvent, type EventDetail, type Reception } from "../../../services/orders/order/apply-event.ts";
import type { EventTrigger } from "../../../services/orders/order/lifecycle.ts";
import { andThen, unchanged, type Transition } from "../../../services/orders/order/transition.ts";
import type { BookContext } from "../../../services/orders/order/book-context.ts";
import { orderHash } from "../../../services/orders/order/order-hash.ts";
import {
  initialProgress,
  type OrderTerms,
  type PaymentOrder,
  type Phase,
  type Progress,
  statusOf,
} from "../../../services/orders/order/payment-order.ts";

/** A Wednesday, 12:00 in New York: every window is open. */
export const noon = new Date("2026-03-04T17:00:00.000Z");

const tenantId = idOf("ten", "019c0000-0000-7000-8000-00000000000a");

/** The business fields of an Ach credit of 12.50 to Blue Freight. */
export function someTerms(change: Partial<OrderTerms> = {}): OrderTerms {
  return {
    direction: "Credit",
    rail: "Ach",
    amountCents: 1_250,
    currency: "USD",
    ledgerAccountId: idOf("la", "019c0000-0000-7000-8000-000000000001"),
    ledgerAccountName: "Operating",
    counterpartyId: null,
    counterpartyName: "Blue Freight",
    counterpartyAccount: { keyId: "k1", ciphertext: "c2VhbGVk", last4: "6789" },
    counterpartyLedgerAccountId: null,
    counterpartyRoutingNumber: "021000021",
    externalId: null,
    description: null,
    statementDescriptor: null,
    effectiveDate: null,
    purpose: null,
    basis: "Actual",
    metadata: {},
    obligationId: null,
    ...change,
  };
}

type Group = "approvals" | "estimate" | "ledger" | "rail" | "ending" | "timers";
export type ProgressChange = Partial<Omit<Progress, Group>> & {
  readonly [name in Group]?: Partial<Progress[name]>;
};

interface OrderChange {
  readonly terms?: Partial<OrderTerms>;
  readonly progress?: ProgressChange;
  readonly status?: PaymentOrder["status"];
  readonly sequence?: number;
  readonly mode?: Mode;
}

/** An order in that phase; a phase that keeps the status it came from is reached from Processing. */
export function anOrderIn(phase: Phase, change: OrderChange = {}): PaymentOrder {
  const terms = someTerms(change.terms);
  const mode = change.mode ?? "Test";
  return {
    id: idOf("po", "019c0000-0000-7000-8000-0000000000f0"),
    book: bookIdOf(tenantId, mode),
    tenantId,
    mode,
    phase,
    status: change.status ?? statusOf(phase, "Processing"),
    sequence: change.sequence ?? 0,
    annotations: null,
    terms,
    progress: progressOf(change.progress, phase === "Draft" ? null : orderHash(terms)),
    dueAt: null,
    dueAtInBook: null,
    createdBy: "maker",
    createdAt: noon,
    updatedAt: noon,
  };
}

function progressOf(change: ProgressChange = {}, hash: string | null): Progress {
  const initial = initialProgress("maker");
  return {
    ...initial,
    ...change,
    approvals: { ...initial.approvals, orderHash: hash, ...change.approvals },
    estimate: { ...initial.estimate, ...change.estimate },
    ledger: { ...initial.ledger, ...change.ledger },
    rail: { ...initial.rail, ...change.rail },
    ending: { ...initial.ending, ...change.ending },
    timers: { ...initial.timers, ...change.timers },
  };
}

/** Noon of a banking day in New York, in real time, in a book with the default policy. */
export function aBookContext(change: Partial<BookContext> = {}): BookContext {
  return {
    now: noon,
    realNow: change.now ?? noon,
    clock: "Real",
    hasOwnClock: false,
    policy: defaultApprovalPolicy,
    tenantActive: true,
    approvalRights: new Map(),
    bookFrozen: false,
    completesAfterBankingDays: 2,
    ...change,
  };
}

/** An order that a test takes through several steps, with everything that they produced. */
export class OrderOnTest {
  #transition: Transition;

  constructor(order: PaymentOrder) {
    this.#transition = unchanged(order);
  }

  get order(): PaymentOrder {
    return this.#transition.order;
  }
  get history(): Transition["history"] {
    return this.#transition.history;
  }
  get events(): Transition["events"] {
    return this.#transition.events;
  }
  get commands(): Transition["commands"] {
    return this.#transition.commands;
  }
  get usage(): Transition["usage"] {
    return this.#transition.usage;
  }

  take(step: (order: PaymentOrder) => Transition): this {
    this.#transition = andThen(this.#transition, step);
    return this;
  }

  receive(trigger: EventTrigger, detail: EventDetail = {}, context = aBookContext()): Reception {
    const { reception, transition } = applyEvent(this.order, { trigger, detail }, context);
    this.take(() => transition);
    return reception;
  }
}
