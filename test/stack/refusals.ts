/** What a service answers to a request that it refuses. */
import { expect } from "vitest";
import { Refusal } from "../../contracts/errors.ts";
import { until } from "./until.ts";

/** Fails unless the request is refused with that code, and with that much more in its refusal. */
export async function expectRefusal(answer: Promise<unknown>, code: string, more: object = {}) {
  expect(await refusalOf(answer)).toMatchObject({ code, ...more });
}

/** The error code of a refused request and, after a space, the pointer of its first error if it has one. */
export async function refused(answer: Promise<unknown>): Promise<string> {
  const { code, errors } = await refusalOf(answer);
  return [code, ...(errors === undefined ? [] : [errors[0]?.pointer])].join(" ");
}

/** The answer to a request, sent again while another one with its Idempotency-Key is under way. */
export function answerUnderKey<T extends object>(request: () => Promise<T>) {
  return until("an answer", () =>
    request().catch((error: unknown) => {
      if (error instanceof Refusal && error.code === "idempotency_in_progress") return undefined;
      throw error;
    }),
  );
}

/** The refusal of a request. Throws if the request succeeds. */
export async function refusalOf(answer: Promise<unknown>): Promise<Refusal> {
  const error: unknown = await answer.then(
    () => new Error("it was answered"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof Refusal) return error;
  throw error;
}
