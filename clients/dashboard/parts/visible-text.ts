/** Control, format and separator characters, with which a name can pretend to be another. */
const deceiving = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text of a tenant with its invisible characters shown as `⟨U+202E⟩`. */
export function visible(text: string): string {
  return text.replaceAll(deceiving, (one) => {
    const code = one.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** The same of a text of several lines. */
export function visibleLines(text: string): string {
  return text.split(/\r?\n/).map(visible).join("\n");
}
