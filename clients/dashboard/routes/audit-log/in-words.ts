import type { AuditEntry } from "../../../typescript/types.gen.ts";
import { inWords } from "../../parts/values/in-words.ts";
import { auditTexts as words } from "../../texts/people.ts";

/** What was done, or may have been; for a confirmation, also which operation it confirmed. */
export function actionInWords({ action, details: { operation, outcome } }: AuditEntry): string {
  const text =
    action in words.actions ? words.actions[action as keyof typeof words.actions] : inWords(action);
  if (outcome === "Unknown") return words.unknownOutcome(text);
  return action === "StepUpUsed" && typeof operation === "string"
    ? `${text}: ${inWords(operation).toLowerCase()}`
    : text;
}

/** A detail of an entry: a text, a list, or anything else as JSON. */
export function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueInWords).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
