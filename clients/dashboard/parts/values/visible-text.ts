/** Control, format and separator characters, with which a name can pretend to be another. */
const deceiving = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Marks drawn over the same letter beyond the third: enough of them cover the lines above. No script needs so many. */
const piledMarks = /(?<=\p{M}{3})\p{M}/gu;

/** Cyrillic and Greek letters that look like Latin ones. */
const lookAlikes = /[АВЕІЈКМНОРЅСТУХаеіјорсѕухΑΒΕΖΗΙΚΜΝΟΡΤΥΧο]/gu;
const word = /[\p{L}\p{M}]+/gu;

const codeOf = (one: string) =>
  `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/**
 * A text of a tenant in which the characters that deceive are shown as their code, such as `⟨U+202E⟩`: invisible ones,
 * marks that pile up, and beside Latin letters those that only look Latin.
 */
export function visible(text: string): string {
  const shown = text.replaceAll(deceiving, codeOf).replaceAll(piledMarks, codeOf);
  return /\p{Script=Latin}/u.test(text) ? shown.replaceAll(word, withLookAlikesShown) : shown;
}

/** A word with any other letter outside Latin stays: that letter shows which script it is in. */
function withLookAlikesShown(letters: string): string {
  const isOtherScript = /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(letters.replaceAll(lookAlikes, ""));
  return isOtherScript ? letters : letters.replaceAll(lookAlikes, codeOf);
}

/** The same of a text of several lines. */
export function visibleLines(text: string): string {
  return text.split(/\r?\n/).map(visible).join("\n");
}
