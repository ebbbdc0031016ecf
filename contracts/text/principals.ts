import { confusables } from "./confusables.ts";

const textOf = (codePoints: string) =>
  String.fromCodePoint(...codePoints.split("+").map((codePoint) => Number.parseInt(codePoint, 16)));

const prototypes = new Map(
  confusables
    .trim()
    .split(/\s+/)
    .flatMap((entry) => {
      const [prototype = "", characters = ""] = entry.split("=");
      return characters.split(",").map((character) => [textOf(character), textOf(prototype)] as const);
    }),
);

const prototypeOf = (character: string) => prototypes.get(character) ?? character;

/** Small capitals and the dotless j, each beside its letter: Unicode's table has only the others, such as `ᴏ`. */
const letters = new Map(
  ["ȷj", "ᴀa", "ʙb", "ᴅd", "ᴇe", "ꜰf", "ɢg", "ʜh", "ᴊj", "ᴋk", "ʟl", "ᴍm", "ɴn", "ᴘp", "ꞯq", "ʀr", "ᴛt"].map(
    ([small = "", letter = ""]) => [prototypeOf(small), prototypeOf(letter)] as const,
  ),
);

/** A dot above a letter that has one already is drawn over it, however often. */
const dotsOfDotted = /(?<=[ij]\p{M}*)\u0307/gu;

/** A reader takes punctuation around a name for that of the list or sentence it is in: `noor.` and `noor`. */
const punctuationAround = /^[\p{P}\s]+|[\p{P}\s]+$/gu;

/** UTS #39, section 4: texts that look the same have the same skeleton. NFKD, so that styled letters are plain ones. */
function skeletonOf(text: string): string {
  const looks = [...text.normalize("NFKD")].map(prototypeOf).join("");
  const skeleton = Array.from(looks, (character) => letters.get(character) ?? character)
    .join("")
    .normalize("NFKD")
    .replaceAll(dotsOfDotted, "");
  const name = skeleton.replaceAll(punctuationAround, "");
  return name === "" ? skeleton : name;
}

/**
 * Capitals of another script as the Latin ones that they look like, so that their case can be folded: a Greek `Ν` is
 * an `N`, but its small letter `ν` looks like a `v`. Unicode's prototype of a capital `I` is `l`.
 */
function withLatinCapitals(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{Lu}/gu, (capital) => {
    const prototype = prototypeOf(capital);
    return prototype === "l" ? "I" : prototype;
  });
}

/** Full case folding: `ß` and `SS` are the same. */
function foldedCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}

/** A name folded in three ways: each sees through other disguises. */
type Skeletons = readonly [string, string, string];

function computeSkeletons(name: string): Skeletons {
  const small = foldedCase(name);
  const latin = foldedCase(withLatinCapitals(name));
  const ofSmall = foldedCase(skeletonOf(small));
  return [
    ofSmall,
    name === small ? ofSmall : foldedCase(skeletonOf(name)),
    latin === small ? ofSmall : foldedCase(skeletonOf(latin)),
  ];
}

/**
 * Those of names that were compared before: a tenant may have thousands of principals, and each new one is compared
 * with all of them. At most about 10 MB.
 */
const known = new Map<string, Skeletons>();
const maxKnownCharacters = 4_000_000;
/** As much memory as an entry takes besides its texts. */
const charactersOfEntry = 64;
let knownCharacters = 0;

function skeletonsOf(name: string): Skeletons {
  const found = known.get(name);
  if (found !== undefined) return found;
  const computed = computeSkeletons(name);
  knownCharacters += charactersOfEntry + [name, ...new Set(computed)].join("").length;
  if (knownCharacters > maxKnownCharacters) {
    known.clear();
    knownCharacters = 0;
  }
  known.set(name, computed);
  return computed;
}

/**
 * Whether two principals count as one person: they are spelled alike but for case, or look alike in some case (`I` and
 * `l`, or Cyrillic `а` and Latin `a`). Otherwise somebody could approve their own work under a name that others read as
 * a colleague's.
 */
export function isSamePrincipal(one: string, other: string): boolean {
  if (one === other) return true;
  const others = skeletonsOf(other);
  return skeletonsOf(one).some((skeleton, index) => skeleton === others[index]);
}
