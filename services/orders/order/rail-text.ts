import type { Rail } from "../../../contracts/rails/rails.ts";
import { codePointOf } from "../../../contracts/text/text.ts";

/** ASCII letters, digits and punctuation, with the space. */
const notPrintableAscii = /[^\x20-\x7e]/u;

// Nacha Operating Rules, Appendix Three: Individual Name and Receiving Company Name have 22 characters.
const nacha = { nameLength: 22 };
// Max140Text of pacs.008. The Clearing House and Fedwire both limit it to basic Latin.
const iso20022 = { nameLength: 140 };

/** What a rail carries of the texts that reach the other bank. Null: it carries none. */
const textRules = {
  Ach: nacha,
  SameDayAch: nacha,
  Rtp: iso20022,
  Wire: iso20022,
  Book: null,
  Usdc: null,
} satisfies Record<Rail, { readonly nameLength: number } | null>;

/** Why the rail can't carry this name of a counterparty; null if it can. */
export function nameFaultOf(rail: Rail, name: string): string | null {
  const rule = textRules[rail];
  if (rule === null) return null;
  if (name.length > rule.nameLength) {
    return `${rail} carries names of at most ${String(rule.nameLength)} characters, and this one has ${String(name.length)}. Shorten it.`;
  }
  return characterFaultOf(rail, name);
}

/**
 * Why the rail can't carry this text for the counterparty's statement; null if it can. The API limits its length. Nacha
 * reserves the company entry description REVERSAL for reversing entries, which a bank may treat in another way.
 */
export function descriptorFaultOf(rail: Rail, text: string): string | null {
  if (textRules[rail] === null) return null;
  if (isAch(rail) && text.trim().toUpperCase() === "REVERSAL") {
    return `${rail} reserves REVERSAL for entries that reverse another one. Choose another text.`;
  }
  return characterFaultOf(rail, text);
}

/** The text as the rail carries it: in capital letters in a Nacha file. */
export function descriptorOn(rail: Rail, text: string): string {
  return isAch(rail) ? text.toUpperCase() : text;
}

function isAch(rail: Rail): boolean {
  return textRules[rail] === nacha;
}

function characterFaultOf(rail: Rail, text: string): string | null {
  const [character] = notPrintableAscii.exec(text) ?? [];
  if (character === undefined) return null;
  return `${rail} carries printable ASCII only, not ${codePointOf(character)} (${character}). Replace it.`;
}
