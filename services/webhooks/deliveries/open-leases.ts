import type { LeasedDelivery } from "./domain/delivery.ts";

interface OpenLease {
  readonly endsAt: Date;
  unrecorded: number;
}

/** This instance's leases of new deliveries, each until the last of its deliveries is recorded. */
export class OpenLeases {
  readonly #open = new Map<string, OpenLease>();
  #recorded: string[] = [];

  /** New deliveries: all that have one lease must be added together. */
  add(deliveries: readonly LeasedDelivery[]): void {
    for (const { lease } of deliveries) {
      const open = this.#open.get(lease.id) ?? { endsAt: lease.endsAt, unrecorded: 0 };
      open.unrecorded += 1;
      this.#open.set(lease.id, open);
    }
  }

  /** Call it when an attempt of the delivery is committed. */
  recorded({ lease }: LeasedDelivery): void {
    const open = this.#open.get(lease.id);
    if (open === undefined) return; // the lease of a delivery that was claimed from the table
    open.unrecorded -= 1;
    if (open.unrecorded > 0) return;
    this.#open.delete(lease.id);
    this.#recorded.push(lease.id);
  }

  /** The leases whose deliveries were all recorded since the last call. Forgets those that ended before that. */
  takeRecorded(now: Date): string[] {
    for (const [id, { endsAt }] of this.#open) {
      if (endsAt > now) break; // they are in the order of their ends
      this.#open.delete(id);
    }
    return this.#recorded.splice(0);
  }
}
