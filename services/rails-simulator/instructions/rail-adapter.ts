import type { Message } from "../../../contracts/message.ts";
import type { InquireInstruction, SubmitInstruction } from "../../../contracts/messages/rails.ts";
import type { Mode } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";

export type Submission = Message<typeof SubmitInstruction>;
export type Inquiry = Message<typeof InquireInstruction>;

/** What one batch of messages brings to a rail. */
export interface Handed {
  readonly submissions: readonly Submission[];
  readonly inquiries: readonly Inquiry[];
}

/**
 * The port to a rail. The reference is ours (the order id) and is stored before anything is sent. What the rail says
 * (accepted, settled, failed, returned), now or later, leaves as events in a unit's outbox, numbered per instruction.
 */
export interface RailAdapter {
  /**
   * Takes instructions: one that is known is not moved again, what was said of it is said again. Answers inquiries:
   * says again all that is known of a reference, or that it is unknown. Both in one call, because rows that are
   * locked twice in a transaction are locked in two orders, and two batches that cross would stop each other.
   */
  take(handed: Handed, unit: UnitOfWork): Promise<void>;
}

/** No adapter serves the mode. Orders refuses such an order at submission; one that comes here all the same is a bug. */
export class NoAdapter extends Error {
  override readonly name = "NoAdapter";
}

/** The adapter of each mode. Nothing live is ever simulated. */
export class Rails {
  readonly #adapters: Partial<Record<Mode, RailAdapter>>;

  constructor(adapters: Partial<Record<Mode, RailAdapter>>) {
    this.#adapters = adapters;
  }

  /** @throws NoAdapter, upon which the instruction is dead-lettered by name. */
  of(mode: Mode): RailAdapter {
    const adapter = this.#adapters[mode];
    if (adapter === undefined) throw new NoAdapter(`no adapter is configured for ${mode} instructions`);
    return adapter;
  }

  all(): [Mode, RailAdapter][] {
    return Object.entries(this.#adapters) as [Mode, RailAdapter][];
  }
}
