import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnnouncementType, MessageType, RequestType } from "../../contracts/message.ts";

type AnyType = MessageType | AnnouncementType | RequestType;

/** A message as its file in contracts/messages exports it. */
export interface Exported<T extends AnyType = AnyType> {
  /** The path of the file. */
  readonly file: string;
  /** The name of the constant, such as `PlaceHold`. */
  readonly name: string;
  readonly type: T;
}

const folder = join(import.meta.dirname, "../../contracts/messages");

/** Every message of contracts/messages, by type. Throws if two share a type, because subjects are made of it. */
export async function messagesOfContracts(): Promise<Exported[]> {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".spec.ts"))
    .map((name) => join(folder, name));
  const found = await Promise.all(
    files.map(async (file) => {
      const members = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
      return Object.entries(members).flatMap(([name, type]) =>
        isMessage(type) ? [{ file, name, type }] : [],
      );
    }),
  );
  const sorted = found.flat().sort((one, other) => (one.type.type < other.type.type ? -1 : 1));
  for (const [index, { name, type }] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next?.type.type === type.type) throw new Error(`${name} and ${next.name} are both ${type.type}`);
  }
  return sorted;
}

export const isRequest = (message: Exported): message is Exported<RequestType> =>
  message.type.kind === "request";

function isMessage(value: unknown): value is AnyType {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    ["command", "event", "announcement", "request"].includes(String(value.kind))
  );
}
