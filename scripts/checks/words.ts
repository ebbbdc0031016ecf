/** Words of our own that the field has a term for. They are gone and must not come back. */
import { type Finding, linesOf, type Source } from "./source.ts";

interface RetiredWord {
  /** Tested against each word of a line; `sealedAt` and `sealed_at` count as the words sealed and at. */
  readonly word?: RegExp;
  /** Tested against the line itself, for identifiers and phrases of several words. */
  readonly text?: RegExp;
  readonly use: string;
}

export const retiredWords: readonly RetiredWord[] = [
  { word: /^facts?$/, use: "message, event or command" },
  { word: /^unseal(s|ed|ing)?$/, use: "decrypt" },
  { word: /^overhears?$/, use: "ephemeral subscription" },
  { word: /^hopeless$/, use: "permanent (PermanentError)" },
  { text: /\bSEAL_KEYS\b/, use: "ENCRYPTION_KEYS" },
  { text: /\bstandBeside\b|\bstand-beside\b/, use: "mount (mount-version.ts)" },
  { text: /\bearly_fact\b|\bwaiting-facts\b/, use: "deferred_event, deferred-events" },
];

/** Text that keeps such a word because something outside requires it. */
const exceptions: readonly RegExp[] = [];

/** Released documents keep their words, and these files name the words to refuse them. */
const unchecked =
  /^(contracts\/openapi\/|package-lock\.json|scripts\/checks\/(words|habits\.spec)\.ts)|\/golden\//;

/** Every retired word with the term to use instead. */
export function checkWords(sources: readonly Source[]): Finding[] {
  return sources
    .filter(({ path }) => !unchecked.test(path))
    .flatMap((source) =>
      linesOf(source).flatMap(({ line, text }) =>
        retiredIn(text).map(({ found, use }) => ({
          path: source.path,
          line,
          message: `"${found}" is not a word of this repository: use ${use}`,
        })),
      ),
    );
}

function retiredIn(line: string): { found: string; use: string }[] {
  const text = exceptions.reduce((rest, exception) => rest.replaceAll(exception, ""), line);
  const words = wordsOf(text);
  return retiredWords.flatMap(({ word, text: phrase, use }) => {
    const found = (word && words.find((one) => word.test(one))) ?? phrase?.exec(text)?.[0];
    return found === undefined ? [] : [{ found, use }];
  });
}

/** The words of a line in small letters, with identifiers taken apart. */
function wordsOf(line: string): string[] {
  return line
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase());
}
