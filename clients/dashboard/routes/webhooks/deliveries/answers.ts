/** The answers of a test sink, as a person types and reads them: `503, Reset, 200`. */
import type {
  TestSinkAnswer,
  TestSinkFault,
  TestSinkScriptedAnswer,
} from "../../../../typescript/types.gen.ts";

const faults = ["Hang", "Drip", "Reset"] as const satisfies readonly TestSinkFault[];

export function answersInWords(script: readonly TestSinkScriptedAnswer[]): string {
  return script.map(({ status, fault }) => fault ?? String(status ?? 200)).join(", ");
}

/** What can't be read is left for the API to refuse. */
export function answersOf(text: string): (number | TestSinkAnswer)[] {
  return text
    .split(/[\s,]+/)
    .filter((word) => word !== "")
    .map((word) => {
      const fault = faults.find((one) => one.toLowerCase() === word.toLowerCase());
      return fault === undefined ? Number(word) : { fault };
    });
}
