import type { ProposedChangeId } from "../../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../../contracts/message.ts";
import { applyEvent, type Reception } from "../order/apply-event.ts";
import { maskedCorrection, withNotice } from "../order/notice-of-change.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import type { BookContext } from "../order/book-context.ts";
import { andThen, unchanged, type Transition } from "../order/transition.ts";
import type { ParkedEvent } from "../store/parked-events.ts";
import {
  isNotice,
  type LifecycleEvent,
  type Notice,
  type OrderEvent,
  toTrigger,
} from "./event-to-trigger.ts";

/** Applies the events of one batch to one order, and replays deferred events once their phase has come. */
export class EventsOfOrder {
  readonly parked: ParkedEvent[] = [];
  readonly context: BookContext;
  readonly #stored: PaymentOrder;
  /** Oldest first: those of earlier batches, then this one's. */
  #deferred: readonly LifecycleEvent[];
  readonly #deferredBefore: readonly LifecycleEvent[];
  #transition: Transition;
  #cause: OrderEvent | undefined;

  constructor(order: PaymentOrder, deferred: readonly LifecycleEvent[], context: BookContext) {
    this.context = context;
    this.#stored = order;
    this.#deferred = deferred;
    this.#deferredBefore = deferred;
    this.#transition = unchanged(order);
  }

  get changed(): boolean {
    return this.#transition.order !== this.#stored;
  }

  get result(): { readonly transition: Transition; readonly cause: OrderEvent | undefined } {
    return { transition: this.#transition, cause: this.#cause };
  }

  /** Events to defer from now on. */
  get newlyDeferred(): readonly AnyMessage[] {
    return this.#deferred.filter((event) => !this.#deferredBefore.includes(event));
  }

  /** Events of earlier batches that are no longer deferred. */
  get noLongerDeferred(): readonly AnyMessage[] {
    return this.#deferredBefore.filter((event) => !this.#deferred.includes(event));
  }

  get order(): PaymentOrder {
    return this.#transition.order;
  }

  /** `proposedChangeId` is what a notice of change proposes of the order's counterparty. */
  apply(event: OrderEvent, proposedChangeId: ProposedChangeId | null = null): void {
    this.#cause = event;
    if (isNotice(event)) {
      this.#record(event, proposedChangeId);
      return;
    }
    const { phase } = this.#transition.order;
    const reception = this.#receive(
      event,
      `${event.type} is expected neither in ${phase} nor in a later phase`,
    );
    if (reception === "OutOfOrder") this.#deferred = [...this.#deferred, event];
    if (reception === "Applied") this.#replayDeferred();
  }

  /** Takes a step that no event has caused, such as the resolution by operators. */
  take(transition: Transition): void {
    this.#transition = andThen(this.#transition, () => transition);
    this.#replayDeferred();
  }

  /** A return may wait for the notice that its rail reported before it. */
  #record({ data }: Notice, proposedChangeId: ProposedChangeId | null): void {
    const { number, code, occurredAt: receivedAt } = data;
    const notice = {
      number,
      code,
      correctedData: maskedCorrection(data.correctedData),
      receivedAt,
      proposedChangeId,
    };
    const { realNow } = this.context;
    this.#transition = andThen(this.#transition, (order) => unchanged(withNotice(order, notice, realNow)));
    this.#replayDeferred();
  }

  /** A step may bring the phase of another deferred event, so the replay starts over. */
  #replayDeferred(): void {
    let index = 0;
    for (let event = this.#deferred[0]; event !== undefined; event = this.#deferred[index]) {
      const reception = this.#receive(event, `${event.type} was deferred for a phase that never came`);
      if (reception === "OutOfOrder") {
        index += 1;
        continue;
      }
      this.#deferred = this.#deferred.toSpliced(index, 1);
      if (reception === "Applied") index = 0;
    }
  }

  #receive(event: LifecycleEvent, reasonToPark: string): Reception {
    const { order } = this.#transition;
    const { reception, transition } = applyEvent(order, toTrigger(event), this.context);
    this.#transition = andThen(this.#transition, () => transition);
    if (reception === "Parked") this.parked.push({ event, reason: reasonToPark });
    if (reception === "PaidAfterAll") {
      this.parked.push({ event, reason: reasonOfKeptHold(event) });
    }
    if (reception === "UnexpectedMovement") {
      this.parked.push({
        event,
        reason: `${event.type}: the bank moved money for an order that had ended; PostToSuspense was sent`,
        ledgerTransactionId: transition.order.progress.rail.unexpectedMovements.at(-1)?.ledgerTransactionId,
      });
    }
    return reception;
  }
}

/** Why an event is parked: its order keeps its hold, although the bank says that it did not pay. */
export function reasonOfKeptHold({ type }: AnyMessage): string {
  return `${type}: the receiver had sent the money back, so the bank has paid; the hold stays`;
}
