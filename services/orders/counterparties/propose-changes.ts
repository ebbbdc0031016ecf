import { Inject, Injectable } from "@nestjs/common";
import { newId, type ProposedChangeId } from "../../../contracts/ids/ids.ts";
import { CounterpartyChangeProposed } from "../../../contracts/messages/orders.ts";
import type { NoticeOfChange } from "../../../contracts/messages/rails.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { MessageOf } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { pipeline } from "../../platform/persistence/pipeline.ts";
import type { CounterpartySnapshot } from "../order/counterparty.ts";
import type { PaymentOrder } from "../order/payment-order.ts";
import {
  correctByOf,
  type ProposedChange,
  proposedChangeView,
  railsConcerned,
  sameProposal,
} from "./domain/proposed-change.ts";
import { readCounterpartySnapshots } from "./store/counterparty-snapshots.ts";
import { insertChanges, lockCounterparties, readOpenChanges } from "./store/proposed-changes.ts";

/** A notice of change, and the order that it is about. */
export interface OrderNotice {
  readonly notice: MessageOf<typeof NoticeOfChange>;
  readonly order: PaymentOrder;
}

/** Turns notices of change into proposed changes of the counterparties that their orders name. */
@Injectable()
export class ProposeChanges {
  readonly #decrypt: SecretCipher["decrypt"];

  constructor(@Inject(SecretCipher) cipher: SecretCipher) {
    this.#decrypt = cipher.decrypt.bind(cipher);
  }

  /**
   * Returns what each notice proposes, by the id of its message; nothing for a notice that proposes nothing. Notices of
   * the same correction make one proposal while it is open. Call it under the locks of the orders: counterparties are
   * locked after them.
   */
  async propose(
    unit: UnitOfWork,
    notices: readonly OrderNotice[],
  ): Promise<ReadonlyMap<string, ProposedChangeId>> {
    const proposed = new Map<string, ProposedChangeId>();
    const keys = notices.flatMap(({ order: { book, terms } }) =>
      terms.counterpartyId === null ? [] : [{ book, id: terms.counterpartyId }],
    );
    if (keys.length === 0) return proposed;
    // What a statement that waited for the lock would read is older than the lock.
    await lockCounterparties(unit.sql, keys);
    const [counterparties, open] = await pipeline(
      unit.sql,
      (sql) => readCounterpartySnapshots(sql, keys),
      (sql) => readOpenChanges(sql, keys),
    );
    const added: ProposedChange[] = [];
    for (const each of notices) {
      const counterparty = counterpartyOf(each, counterparties);
      const change = counterparty === undefined ? null : this.#changeFor(each, counterparty);
      if (change === null) continue;
      const others = [...open, ...added].filter(({ counterpartyId }) => counterpartyId === counterparty?.id);
      const known = sameProposal(others, change, this.#decrypt);
      proposed.set(each.notice.id, (known ?? change).id);
      if (known !== undefined) continue;
      added.push(change);
      publish(unit, change, each);
    }
    unit.withCommit(insertChanges(unit.sql, added));
    return proposed;
  }

  /** Null if the counterparty does not have what the notice corrects, or has the corrected data. */
  #changeFor(
    { notice: { data }, order }: OrderNotice,
    { id: counterpartyId, ...counterparty }: CounterpartySnapshot,
  ): ProposedChange | null {
    const { code, correctedData } = data;
    const rails = railsConcerned(order.terms, counterparty, correctedData, this.#decrypt);
    if (rails.length === 0) return null;
    const receivedAt = new Date(data.occurredAt);
    return {
      id: newId("chg"),
      book: order.book,
      counterpartyId,
      orderId: order.id,
      status: "Open",
      rails,
      code,
      correctedData,
      receivedAt,
      correctBy: correctByOf(receivedAt),
      decidedBy: null,
      decidedAt: null,
    };
  }
}

/** It may be the counterparty of another order of the batch, in another book. */
function counterpartyOf(
  { order: { book, terms } }: OrderNotice,
  counterparties: ReadonlyMap<string, CounterpartySnapshot>,
): CounterpartySnapshot | undefined {
  const found = terms.counterpartyId === null ? undefined : counterparties.get(terms.counterpartyId);
  return found?.book === book ? found : undefined;
}

function publish({ outbox }: UnitOfWork, change: ProposedChange, { notice, order }: OrderNotice): void {
  const { status: _open, decidedBy: _nobody, decidedAt: _never, ...shown } = proposedChangeView(change);
  outbox.add(CounterpartyChangeProposed, {
    book: change.book,
    subject: change.counterpartyId,
    cause: notice,
    data: { ...shown, mode: order.mode },
  });
}
