import { maxEnvelopeBytes, maxEnvelopeMessages } from "../../../contracts/message.ts";

/** The JSON of messages, separated by commas, and their number. */
export interface PackedMessages {
  readonly messages: string;
  readonly count: number;
}

/** The content of one envelope: its parts in order, with all their messages. */
export interface Pack<T extends PackedMessages> extends PackedMessages {
  readonly first: T;
  readonly parts: readonly T[];
}

const emptyEnvelopeBytes = Buffer.byteLength('{"messages":[]}');

/**
 * Packs parts of the same key together, in order, up to an envelope's 100 messages and 256 KiB. A part that exceeds the
 * limits by itself gets an envelope of its own, because it must be sent too.
 */
export function pack<T extends PackedMessages>(parts: readonly T[], keyOf: (part: T) => string): Pack<T>[] {
  const open = new Map<string, OpenPack<T>>();
  const packs: OpenPack<T>[] = [];
  for (const part of parts) {
    const key = keyOf(part);
    const bytes = Buffer.byteLength(part.messages) + 1;
    const own = open.get(key);
    if (
      own !== undefined &&
      own.count + part.count <= maxEnvelopeMessages &&
      own.bytes + bytes <= maxEnvelopeBytes
    ) {
      own.parts.push(part);
      own.count += part.count;
      own.bytes += bytes;
      continue;
    }
    // Each part but the first adds a comma.
    const fresh = { first: part, parts: [part], count: part.count, bytes: emptyEnvelopeBytes + bytes - 1 };
    open.set(key, fresh);
    packs.push(fresh);
  }
  return packs.map(({ first, parts: own, count }) => ({
    first,
    parts: own,
    count,
    messages: own.map(({ messages }) => messages).join(","),
  }));
}

interface OpenPack<T> {
  readonly first: T;
  readonly parts: T[];
  count: number;
  bytes: number;
}
