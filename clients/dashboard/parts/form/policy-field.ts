import { policyTexts } from "../../texts/policy.ts";

/** A field of the approval policy as its form names it; a field that the page doesn't know by its own name. */
export function policyFieldInWords(field: string): string {
  const { fields } = policyTexts;
  return field in fields ? fields[field as keyof typeof fields] : field;
}
