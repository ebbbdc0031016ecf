import { inWords } from "../../parts/in-words.ts";
import { texts } from "../../texts/texts.ts";

const { audit: words } = texts;

export function actionInWords(action: string): string {
  return action in words.actions ? words.actions[action as keyof typeof words.actions] : inWords(action);
}

/** A detail of an entry: a text, a list, or anything else as JSON. */
export function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueInWords).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
