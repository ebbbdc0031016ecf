import { z } from "zod";
import { namedEnum } from "../named-enum.ts";

export const rails = ["Ach", "SameDayAch", "Rtp", "Wire", "Book", "Usdc"] as const;
const railDescriptions = {
  Ach: "ACH, next business day or later.",
  SameDayAch: "Same Day ACH, up to $1,000,000.00.",
  Rtp: "The RTP network, within seconds, up to $10,000,000.00. Credits only.",
  Wire: "Fedwire, the same business day. Credits only.",
  Book: "A transfer between two of your own ledger accounts.",
  Usdc: "USDC on a public chain. Credits only.",
} as const satisfies Record<(typeof rails)[number], string>;
export const rail = namedEnum("Rail", "The payment network that carries the money.", railDescriptions);
export type Rail = z.infer<typeof rail>;

const { Book: _ledgerOnly, ...externalRailDescriptions } = railDescriptions;
/** Every rail but Book, which moves money inside the ledger only. */
export const externalRail = namedEnum(
  "ExternalRail",
  "A payment network that reaches other banks or a chain: every rail but Book.",
  externalRailDescriptions,
);

export const orderDirection = namedEnum("OrderDirection", "Who sends the money.", {
  Credit: "Sends money to the counterparty.",
  Debit: "Collects money from the counterparty.",
});
export type OrderDirection = z.infer<typeof orderDirection>;

export const mode = namedEnum("Mode", "The mode of the API key.", {
  Test: "Simulated money.",
  Live: "Real money.",
});

/** The rail's reference for a payment. Which member is set depends on the rail. */
export const railReference = z.object({
  traceNumber: z
    .string()
    .optional()
    .meta({ description: "Ach and SameDayAch: the trace number, 15 digits." }),
  imad: z
    .string()
    .optional()
    .meta({ description: "Wire: Fedwire's input message accountability data (IMAD)." }),
  endToEndId: z.string().optional().meta({ description: "Rtp: the ISO 20022 EndToEndId." }),
  txHash: z.string().optional().meta({ description: "Usdc: the hash of the transaction on the chain." }),
});
export type RailReference = z.infer<typeof railReference>;

/** An account number encrypted with AES-256-GCM: base64 of nonce, ciphertext and tag, and the id of its key. */
export const encryptedAccountNumber = z.object({
  keyId: z.string(),
  ciphertext: z.string(),
  last4: z.string().max(4),
});
export type EncryptedAccountNumber = z.infer<typeof encryptedAccountNumber>;

/** An account number as answers show it. Numbers of at most four characters have an empty `last4`. */
export function maskedAccountNumber(last4: string): string {
  return `****${last4}`;
}
