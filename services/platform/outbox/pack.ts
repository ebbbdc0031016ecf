import { largestEnvelopeBytes, largestEnvelopeFacts } from "../../../contracts/message.ts";

/** JSON of facts, a comma between them, and how many they are. */
export interface Facts {
  readonly facts: string;
  readonly count: number;
}

/** What goes into one envelope together: its parts, in their order, and all of their facts. */
export interface Pack<T extends Facts> extends Facts {
  readonly first: T;
  readonly parts: readonly T[];
}

const emptyEnvelopeBytes = Buffer.byteLength('{"facts":[]}');

/**
 * Puts together what has the same key, in its order, up to an envelope's 100 facts and 256 KiB. A part that is larger
 * alone goes alone: it must go out some way.
 */
export function pack<T extends Facts>(parts: readonly T[], keyOf: (part: T) => string): Pack<T>[] {
  const open = new Map<string, OpenPack<T>>();
  const packs: OpenPack<T>[] = [];
  for (const part of parts) {
    const key = keyOf(part);
    const bytes = Buffer.byteLength(part.facts) + 1;
    const own = open.get(key);
    if (
      own !== undefined &&
      own.count + part.count <= largestEnvelopeFacts &&
      own.bytes + bytes <= largestEnvelopeBytes
    ) {
      own.parts.push(part);
      own.count += part.count;
      own.bytes += bytes;
      continue;
    }
    // Each part but the first brings a comma.
    const fresh = { first: part, parts: [part], count: part.count, bytes: emptyEnvelopeBytes + bytes - 1 };
    open.set(key, fresh);
    packs.push(fresh);
  }
  return packs.map(({ first, parts: own, count }) => ({
    first,
    parts: own,
    count,
    facts: own.map(({ facts }) => facts).join(","),
  }));
}

interface OpenPack<T> {
  readonly first: T;
  readonly parts: T[];
  count: number;
  bytes: number;
}
