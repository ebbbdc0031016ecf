import { setImmediate as letOthersRun } from "node:timers/promises";
import { type KnownSecret, signerAmong, type SignedContent } from "./domain/verification.ts";

/**
 * Finds what `signerAmong` finds. The process does other work after each endpoint: a book may have 2,000 secrets, and
 * trying all of them on one body takes a second.
 */
export async function findSigner(
  secrets: readonly KnownSecret[],
  header: string,
  content: SignedContent,
): Promise<KnownSecret | undefined> {
  for (const own of Map.groupBy(secrets, ({ endpointId }) => endpointId).values()) {
    const signer = signerAmong(own, header, content);
    if (signer !== undefined) return signer;
    await letOthersRun();
  }
  return undefined;
}
