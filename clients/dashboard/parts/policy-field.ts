import { texts } from "../texts/texts.ts";

/** A field of the approval policy as its form names it; a field that the page doesn't know by its own name. */
export function policyFieldInWords(field: string): string {
  const { fields } = texts.policy;
  return field in fields ? fields[field as keyof typeof fields] : field;
}
