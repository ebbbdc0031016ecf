import type { z } from "zod";
import type { TestSinkAnswer, testSinkCreate } from "../../../../contracts/http/webhooks/test-sinks.ts";

export type Script = readonly TestSinkAnswer[];

/** The answers of a script as it was sent. */
export function scriptOf(respond: z.output<typeof testSinkCreate>["respond"]): Script {
  return respond.map((answer) => (typeof answer === "number" ? { status: answer } : answer));
}

/** The answer to the `position`th request of a script, from 1. The last one repeats. */
export function answerAt(script: Script, position: number): TestSinkAnswer {
  return script[Math.min(position, script.length) - 1] ?? {};
}

/** The status that a receiver's client sees; 0 if it gets none. */
export function statusOf({ status, fault, redirectTo }: TestSinkAnswer): number {
  if (fault === "Hang" || fault === "Reset") return 0;
  return status ?? (redirectTo === undefined ? 200 : 302);
}
