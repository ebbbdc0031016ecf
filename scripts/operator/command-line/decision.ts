import { FreezeBook } from "../../../contracts/messages/books.ts";
import { issueMessage } from "../../../contracts/text/issue-message.ts";
import { type Given, Misuse } from "./given.ts";

/** Who decides, and why. */
export interface Decided {
  readonly by: string;
  readonly reason: string;
}

/** The options of every command that records a decision; it also has `--by`. */
export const decision = { reason: { value: "<why>", required: true } } as const;

/** The operator's name and reason. Every decision takes the same. */
export function decidedBy(given: Given): Decided {
  const decided = FreezeBook.data.safeParse(
    { reason: given.required("reason"), by: given.by },
    { error: issueMessage },
  );
  if (decided.success) return decided.data;
  const [issue] = decided.error.issues;
  throw new Misuse(`--${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
}
