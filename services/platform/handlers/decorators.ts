import { Ctx, EventPattern, MessagePattern, Payload } from "@nestjs/microservices";
import type { z } from "zod";
import type { Caller, Fact, FactType, Idempotency, RequestType } from "../../../contracts/message.ts";
import type { Cause } from "../messages/message.ts";
import type { Unit } from "./unit-of-work.ts";

/** Who asks, under which Idempotency-Key, and the trace that the answer belongs to. */
export interface Ask extends Cause {
  readonly caller: Caller;
  readonly idempotency?: Idempotency | undefined;
}

/** What a Nest handler of ours carries beside its pattern. */
export interface ConsumesExtras {
  readonly consumes: readonly FactType[];
}
export interface AnswersExtras {
  readonly answers: RequestType;
}

/** Any of these types, told apart by its `type`. */
export type FactOf<T extends FactType> = T extends FactType ? Fact<T> : never;

type Consumer<T extends FactType> = (facts: readonly FactOf<T>[], unit: Unit) => Promise<void>;
type Answerer<T extends RequestType> = (
  data: z.output<T["data"]>,
  ask: Ask,
) => Promise<z.input<T["reply"]> | Replayed<z.input<T["reply"]>>>;

/**
 * The method takes its types' facts of a batch, in stream order, inside the batch's transaction. It neither
 * acknowledges nor catches: a throw rolls the batch back and is bisected down to the fact that caused it.
 */
export function Consumes<const T extends readonly FactType[]>(...types: T) {
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

/** The method answers a request. A `Refusal` that it throws is the answer, not a failure. */
export function Answers<T extends RequestType>(type: T) {
  return <M extends Answerer<T>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void => {
    const extras: AnswersExtras = { answers: type };
    passBoth(target, key);
    MessagePattern<string>(type.subject, extras)(target, key, descriptor);
  };
}

/** Nest hands a method its payload alone unless it is told of the second argument. */
function passBoth(target: object, key: string | symbol): void {
  Payload()(target, key, 0);
  Ctx()(target, key, 1);
}

/** An answer that was given before, to the same Idempotency-Key. */
export class Replayed<T> {
  readonly value: T;
  constructor(value: T) {
    this.value = value;
  }
}
