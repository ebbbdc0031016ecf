import type { Message } from "../../../contracts/message.ts";
import type { InquireInstruction, SubmitInstruction } from "../../../contracts/messages/rails.ts";
import type { Mode } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";

export type Submission = Message<typeof SubmitInstruction>;
export type Inquiry = Message<typeof InquireInstruction>;

/** One batch of messages for a rail. */
export interface RailBatch {
  readonly submissions: readonly Submission[];
  readonly inquiries: readonly Inquiry[];
}

/**
 * The port to a rail. The order id identifies the payment; it is stored before anything is sent. What the rail reports
 * (accepted, settled, failed, returned) is published through the outbox, now or later, numbered per instruction.
 */
export interface RailAdapter {
  /**
   * Submissions: moves the money of each new instruction once; for a known one it publishes the same events again.
   * Inquiries: publishes all events of the order again. Returns the inquiries whose order it does not know.
   * Both in one call, so that all rows are locked once, in one order. Two calls could deadlock with another batch.
   */
  take(batch: RailBatch, unit: UnitOfWork): Promise<Inquiry[]>;
}

/** No adapter serves the mode. Orders refuses such an order at submission, so an instruction without one is a bug. */
export class NoAdapterError extends Error {
  override readonly name = "NoAdapterError";
  readonly permanent = true;
}

/** The order id of an instruction belongs to another payment. Only a mistake of the sender explains that. */
export class ReusedOrderIdError extends Error {
  override readonly name = "ReusedOrderIdError";
  readonly permanent = true;
}

/** The adapter of each mode. Nothing Live is ever simulated. */
export class RailAdapters {
  readonly #adapters: Partial<Record<Mode, RailAdapter>>;

  constructor(adapters: Partial<Record<Mode, RailAdapter>>) {
    this.#adapters = adapters;
  }

  /** Throws `NoAdapterError`; the instruction is then dead-lettered at once. */
  of(mode: Mode): RailAdapter {
    const adapter = this.#adapters[mode];
    if (adapter === undefined) throw new NoAdapterError(`no adapter is configured for ${mode} instructions`);
    return adapter;
  }

  has(mode: Mode): boolean {
    return this.#adapters[mode] !== undefined;
  }

  all(): [Mode, RailAdapter][] {
    return Object.entries(this.#adapters) as [Mode, RailAdapter][];
  }
}
