import { Ctx, EventPattern, MessagePattern, Payload } from "@nestjs/microservices";
import type { z } from "zod";
import type { Caller, Message, MessageType, Idempotency, RequestType } from "../../../contracts/message.ts";
import type { Cause } from "../messages/message.ts";
import type { WithDeadline } from "./deadline.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

/** A request's caller, Idempotency-Key, deadline and trace. */
export interface RequestContext extends Cause, WithDeadline {
  readonly caller: Caller;
  readonly idempotency?: Idempotency | undefined;
  /** True when it came in one message with others, whose replies wait for this one's. */
  readonly isBatched?: boolean;
}

/** The metadata that our decorators add to a Nest handler, beside its pattern. */
export interface ConsumesExtras {
  readonly consumes: readonly MessageType[];
}
export interface RequestHandlerExtras {
  readonly answers: RequestType;
}

/** A message of any of these types, discriminated by `type`. */
export type MessageOf<T extends MessageType> = T extends MessageType ? Message<T> : never;

type Consumer<T extends MessageType> = (messages: readonly MessageOf<T>[], unit: UnitOfWork) => Promise<void>;
type RequestHandlerMethod<T extends RequestType> = (
  data: z.output<T["data"]>,
  request: RequestContext,
) => Promise<z.input<T["reply"]> | IdempotentReplay<z.input<T["reply"]>>>;

/**
 * The method gets a batch's messages of these types, in stream order, inside the batch's transaction. It neither
 * acknowledges nor catches: a throw rolls the batch back, and the batch is bisected down to the message that caused it.
 */
export function Consumes<const T extends readonly MessageType[]>(...types: T) {
  return <M extends Consumer<T[number]>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void => {
    const extras: ConsumesExtras = { consumes: types };
    passBoth(target, key);
    EventPattern<string>(`${target.constructor.name}.${String(key)}`, extras)(target, key, descriptor);
  };
}

/** The method answers a request. If it throws a `Refusal`, the refusal is the answer, not a failure. */
export function HandlesRequest<T extends RequestType>(type: T) {
  return <M extends RequestHandlerMethod<T>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void => {
    const extras: RequestHandlerExtras = { answers: type };
    passBoth(target, key);
    MessagePattern<string>(type.subject, extras)(target, key, descriptor);
  };
}

/** Passes payload and context to the method; by default Nest passes only the payload. */
function passBoth(target: object, key: string | symbol): void {
  Payload()(target, key, 0);
  Ctx()(target, key, 1);
}

/** The stored answer to an earlier request with the same Idempotency-Key. */
export class IdempotentReplay<T> {
  readonly value: T;
  constructor(value: T) {
    this.value = value;
  }
}

/**
 * Thrown by a handler that has done nothing yet and would have to wait for another service to answer a batched request.
 * The caller then sends the request again, alone.
 */
export class MustTravelAlone extends Error {}
