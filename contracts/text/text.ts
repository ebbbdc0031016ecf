import { z } from "zod";

/**
 * Fillers, joiners, variation selectors and four blanks (of Braille, musical notation, hieroglyphs and Khitan) draw
 * nothing, like control and format characters. What a code point without a meaning looks like nobody knows (Cn), and
 * half of one is no character (Cs). U+16FE4 stands outside of the class, where it would combine with its neighbour.
 */
export const invisible =
  /[\p{Cc}\p{Cf}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1D159}\u{13441}\u{13442}]|\u{16FE4}/u;

/** The same, but for tabs and line breaks. */
const invisibleInLines = new RegExp(`(?![\\t\\n\\r])(?:${invisible.source})`, "u");

/**
 * A name as it is stored and compared: NFC, trimmed, each run of spaces one plain space. Otherwise two names that look
 * the same would be two.
 */
export function normalizedName(text: string): string {
  return text
    .normalize("NFC")
    .replaceAll(/\p{Zs}+/gu, " ")
    .trim();
}

/**
 * The spellings that a look-up by name accepts, best first. A name that was stored before names were normalised is
 * found by exactly what was sent.
 */
export function spellingsOf(name: string): readonly string[] {
  return [...new Set([name, normalizedName(name)])];
}

/** A name that people read, as a caller sends it. It is normalised; what can't be seen in it is refused. */
export function nameText(maxLength: number) {
  return without(invisible, z.string().overwrite(normalizedName).min(1).max(maxLength));
}

/** How many times longer a name may be with its characters in full: a syllable of Hangul is up to three letters. */
const maxExpansion = 3;

/**
 * Whether a name of at most `maxLength` characters is short with its characters in full, too: U+FDFA is a sentence of
 * 18. Comparing a name with others takes as long as its full form.
 */
export function isShortInFull(name: string, maxLength: number): boolean {
  return name.normalize("NFKD").length <= maxLength * maxExpansion;
}

/** A name that is compared with the tenant's principals. */
export function comparedName(maxLength: number) {
  return nameText(maxLength).refine((name) => name.length > maxLength || isShortInFull(name, maxLength), {
    error: `must have at most ${String(maxLength * maxExpansion)} characters with ligatures written in full`,
  });
}

/**
 * A text on one line, such as a statement's, or a reference of the caller's own. It is stored as it was sent; what
 * can't be seen in it is refused, as in a name.
 */
export function lineText(maxLength: number) {
  return without(invisible, z.string().max(maxLength));
}

/** The same, of any lines. */
export function linesText(maxLength: number) {
  return without(invisibleInLines, z.string().max(maxLength));
}

function without(refused: RegExp, text: z.ZodString) {
  return text.refine((value) => !refused.test(value), {
    // By its code point, because it may draw nothing.
    error: ({ input }) => `can't contain ${codePointOf(refused.exec(String(input))?.[0] ?? "")}`,
  });
}

/** How Unicode writes a character, such as `U+200B`. */
export function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
