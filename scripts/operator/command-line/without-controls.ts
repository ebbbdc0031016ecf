/**
 * Control and format characters, line breaks too. In the text of others they could move the terminal's cursor, hide
 * what follows, or add a line that looks like ours. Unpaired surrogates and unassigned characters go with them.
 */
const controls = /[\p{C}\u2028\u2029]/gu;

/** One line for a terminal: control characters are shown as their code points. */
export function withoutControls(line: string): string {
  return line.replace(controls, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** One line of JSON that says the same without control characters. */
export function jsonWithoutControls(record: object): string {
  return JSON.stringify(record).replace(controls, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
