import { derivedUuid, idOf } from "../../../contracts/ids/ids.ts";
import type { MessageType } from "../../../contracts/message.ts";
import * as ledger from "../../../contracts/messages/ledger.ts";
import * as rails from "../../../contracts/messages/rails.ts";
import { returnReason } from "../../../contracts/rails/return-codes.ts";
import type { MessageOf } from "../../platform/handlers/decorators.ts";
import type { IncomingEvent } from "../order/apply-event.ts";
import type { EventTrigger } from "../order/lifecycle.ts";

/** The events of other services that move orders along their lifecycle, by their trigger in its table. */
const eventOf = {
  HoldPlaced: ledger.HoldPlaced,
  HoldRefused: ledger.HoldRefused,
  HoldSettled: ledger.HoldSettled,
  HoldReleased: ledger.HoldReleased,
  LateReturnPosted: ledger.LateReturnPosted,
  InstructionAccepted: rails.InstructionAccepted,
  InstructionSettled: rails.InstructionSettled,
  InstructionFailed: rails.InstructionFailed,
  InstructionReturned: rails.InstructionReturned,
  InstructionUnknown: rails.InstructionUnknown,
} as const satisfies Record<EventTrigger, MessageType>;
const lifecycleEvents = Object.values(eventOf);
const triggers = new Map(
  (Object.keys(eventOf) as EventTrigger[]).map((trigger) => [eventOf[trigger].type as string, trigger]),
);
export type LifecycleEvent = MessageOf<(typeof lifecycleEvents)[number]>;

/** The events of other services that orders follow. */
export const orderEvents = [...lifecycleEvents, rails.NoticeOfChange] as const;
export type Notice = MessageOf<typeof rails.NoticeOfChange>;
export type OrderEvent = LifecycleEvent | Notice;

export function isNotice(event: OrderEvent): event is Notice {
  return event.type === rails.NoticeOfChange.type;
}

/** Converts a message into a trigger of the lifecycle table, with the data that the order records. */
export function toTrigger(event: LifecycleEvent): IncomingEvent {
  const trigger = triggers.get(event.type);
  if (trigger === undefined) throw new Error(`${event.type} is not an event that orders follow`);
  const { data } = event;
  return {
    trigger,
    detail: {
      ...("transactionId" in data ? { ledgerTransactionId: data.transactionId } : {}),
      ...("railReference" in data ? { railReference: data.railReference } : {}),
      ...("detail" in data ? { failure: { code: data.code, message: data.detail } } : {}),
      ...("message" in data ? { failure: { code: data.code, message: data.message } } : {}),
      ...("number" in data ? { number: data.number } : {}),
      ...("settlementDate" in data && data.settlementDate !== undefined
        ? { settlementDate: data.settlementDate }
        : {}),
      ...("traceNumber" in data
        ? {
            return: {
              // Derived, so that the same return reported twice gets one id.
              id: idOf("ret", derivedUuid(data.orderId, `return/${data.traceNumber}/${data.code}`)),
              code: data.code,
              reason: returnReason(data.code),
              traceNumber: data.traceNumber,
              receivedAt: data.occurredAt,
              ...(data.afterWindow === true ? { afterWindow: true as const } : {}),
            },
          }
        : {}),
    },
  };
}
