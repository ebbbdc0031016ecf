/** Private words for which the field has a term. They were replaced and must not come back. */
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
  { word: /^overhears?$/, use: "ephemeral subscription" },
  { word: /^hopeless$/, use: "permanent (PermanentError)" },
  { word: /^doorkeepers?$/, use: "guards" },
  { text: /\bstandBeside\b|\bstand-beside\b/, use: "mount (mount-version.ts)" },
  { text: /\bearly_fact\b|\bwaiting-facts\b|\bearlyFact\w*/, use: "deferred_event, deferred-events" },
  { text: /\bheld_command\b|\bheldCommand\w*|\bparkCommand\b/i, use: "deferred_command, quarantineCommand" },
  { text: /\bholdingFrozen\b/, use: "deferWhileFrozen" },
  { text: /\bmoneyHeld\b|\bmoney-held\b/, use: "accountingEquation" },
  { text: /\bknownAccounts\b|\bknown-accounts\b/i, use: "bookCache, book-cache" },
  { text: /\bgiveBack\w*|\bgivenBack\b/, use: "release…, return… (name what is returned)" },
  { text: /\bkeepLimits?\b/, use: "lockDailyLimitShared" },
  { text: /\bactOnOrder\b|\bact-on-order\b/i, use: "withLockedOrder" },
  { text: /\btakeIn\b/, use: "deduplicate" },
  { text: /\bSEAL_KEYS\b|npm run seals\b/, use: "ENCRYPTION_KEYS, npm run encryption" },
  { text: /\bwhyNot\w*/, use: "reject… for a rule, reason… for a text" },
  { text: /\bmost[A-Z]\w*/, use: "max…" },
  { text: /\bnoSuch[A-Z]\w*/, use: "notFound, …NotFound" },
  { text: /\bthat which\b/i, use: "the name of the thing" },
  {
    text: /\bask[:(<=]|\.ask\b|\bask = |\b(askOf|asked|asks)\(/,
    use: "request (rpc), send (HTTP), context (RequestContext)",
  },
  { text: /\brequester\b/, use: "rpc (RpcClient)" },
  { word: /^(told|heard)$/, use: "published, reported, received" },
  { word: /^meanwhile$/, use: "while, in the meantime" },
  { text: /\bfor ever\b(?! )|\bfor ever (?!an?\b)[a-z]/i, use: "permanently, or what never changes" },
  {
    text: /\b(un)?sealed\b|\bseals\b|\bsealing\w*|\bsealOf\b|\bseal(ed)?_\w+|[a-z]Seals\b/,
    use: "checkpoint, ciphertext",
  },
  { text: /\bplace\b(?=\)? =[ >])|\[place\]|\bplaces? = /, use: "index, position, key" },
  { text: /\baboutOf\b|\bunlessAnotherPays\b/, use: "obligationIdOf, applyPayment" },
  // `strayMovement` and `strayMovements` are names of the API.
  { text: /(\bstray|Stray)(?!Movements?\b)/, use: "unexpected movement, suspense posting" },
  { text: /\bnothing of it (is|was)\b/i, use: "nothing is stored" },
  { text: /\brests? on demo data\b/, use: "is based on demo data" },
  {
    text: /\b(can't|cannot|must not) stand\b|\bstands? (here|beside)\b/i,
    use: "is not allowed, can't be combined with",
  },
];

/** Files that have to name a retired word: history, and the start-up error about the old variable. */
const exceptions: readonly RegExp[] = [
  /^CHANGELOG\.md$/,
  /^services\/platform\/process\/config(\.spec)?\.ts$/,
];

/** A fault of the API, with the word of those who test rails. */
const apiName = "DuplicateFacts";

/** Released documents keep their words, and these files list the words to refuse them. */
const unchecked = [
  /^contracts\/openapi\//,
  /^package-lock\.json$/,
  /^scripts\/checks\/(words|habits\.spec)\.ts$/,
  /\/golden\//,
];

/** Every retired word with the term to use instead. */
export function checkWords(sources: readonly Source[]): Finding[] {
  return sources
    .filter(({ path }) => ![...unchecked, ...exceptions].some((pattern) => pattern.test(path)))
    .flatMap((source) =>
      linesOf(source).flatMap(({ line, text }) =>
        retiredIn(text.replaceAll(apiName, "")).map(({ found, use }) => ({
          path: source.path,
          line,
          message: `"${found}" is not a word of this repository: use ${use}`,
        })),
      ),
    );
}

function retiredIn(line: string): { found: string; use: string }[] {
  const words = wordsOf(line);
  return retiredWords.flatMap(({ word, text: phrase, use }) => {
    const found = (word && words.find((one) => word.test(one))) ?? phrase?.exec(line)?.[0];
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
