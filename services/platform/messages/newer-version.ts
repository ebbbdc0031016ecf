import type { ZodError } from "zod";
import { type MessageType, messageSchema } from "../../../contracts/message.ts";

type Issue = ZodError["issues"][number];

/**
 * Whether a message that its contract refuses, is one of a newer version of its sender: its type is unknown, or nothing
 * is wrong with it but enum values that are unknown. A known type of another shape is a mistake in every version.
 */
export function needsNewerVersion(type: MessageType, known: readonly string[], raw: unknown): boolean {
  const message = messageSchema.safeParse(raw);
  if (!message.success) return false;
  if (message.data.type !== type.type) return !known.includes(message.data.type);
  const data = type.data.safeParse(message.data.data);
  return data.error?.issues.every((issue) => isUnknownValue(issue, message.data.data)) ?? false;
}

/** True for text where the contract lists the texts that it knows. */
function isUnknownValue(issue: Issue, input: unknown): boolean {
  const value = issue.path.reduce<unknown>((within, key) => Object(within)[key] as unknown, input);
  if (issue.code === "invalid_value") return typeof value === "string";
  if (issue.code !== "invalid_union") return false;
  // Without alternatives that were tried, the discriminator has none for this value.
  if (issue.errors.length === 0) return typeof value === "string";
  return issue.errors.some((tried) => tried.length > 0 && tried.every((its) => isUnknownValue(its, value)));
}
