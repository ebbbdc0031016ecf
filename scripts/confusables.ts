import { readFileSync, writeFileSync } from "node:fs";

/**
 * Writes contracts/text/confusables.ts from Unicode's confusables.txt (UTS #39), whose path is the argument. Characters
 * that NFKC or NFD replaces are left out, because a skeleton is made of neither.
 */
const source = readFileSync(process.argv[2] ?? "confusables.txt", "utf8");
const version = /^# Version: (?<version>\S+)/m.exec(source)?.groups?.["version"] ?? "";

const prototypes = new Map(
  source.split("\n").flatMap((line) => {
    const [from, to] = line.replace(/#.*/, "").split(";");
    return from === undefined || to === undefined ? [] : [[textOf(from), textOf(to)] as const];
  }),
);
const byPrototype = new Map<string, string[]>();
for (const character of prototypes.keys()) {
  if (character.normalize("NFKC") !== character || character.normalize("NFD") !== character) continue;
  const prototype = hexOf(prototypeOf(character));
  byPrototype.set(prototype, [...(byPrototype.get(prototype) ?? []), hexOf(character)]);
}
const perEntry = 15;
const rows = [...byPrototype].flatMap(([prototype, characters]) =>
  Array.from(
    { length: Math.ceil(characters.length / perEntry) },
    (_entry, index) => `${prototype}=${characters.slice(index * perEntry, (index + 1) * perEntry).join(",")}`,
  ),
);
writeFileSync(
  new URL("../contracts/text/confusables.ts", import.meta.url),
  `// Written by scripts/confusables.ts from confusables.txt of Unicode ${version}, under the Unicode License v3. Each entry is
// a prototype and characters that look like it, as hexadecimal code points.
export const confusables = \`
${wrapped(rows).join("\n")}
\`;
`,
);

/** What the characters of `text` look like, until nothing looks like something else. */
function prototypeOf(text: string): string {
  const next = [...text.normalize("NFKD")]
    .map((character) => prototypes.get(character) ?? character)
    .join("");
  const decomposed = next.normalize("NFKD");
  return decomposed === text ? text : prototypeOf(decomposed);
}

function textOf(codePoints: string): string {
  return String.fromCodePoint(
    ...codePoints
      .trim()
      .split(" ")
      .map((codePoint) => Number.parseInt(codePoint, 16)),
  );
}

function hexOf(text: string): string {
  return [...text].map((character) => (character.codePointAt(0) ?? 0).toString(16)).join("+");
}

/** Lines of at most 118 columns. */
function wrapped(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 118) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
