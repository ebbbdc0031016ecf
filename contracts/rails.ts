import { z } from "zod";

export const rails = ["Ach", "SameDayAch", "Rtp", "Wire", "Book", "Usdc"] as const;
export const rail = z.enum(rails);
export type Rail = z.infer<typeof rail>;

/** Credit pushes money to the counterparty, Debit collects from it. */
export const orderDirection = z.enum(["Credit", "Debit"]);
export type OrderDirection = z.infer<typeof orderDirection>;

export const mode = z.enum(["Test", "Live"]);

/** What a rail calls a payment of ours; which member is set depends on the rail. */
export const railReference = z.object({
  traceNumber: z.string().optional(),
  imad: z.string().optional(),
  endToEndId: z.string().optional(),
  txHash: z.string().optional(),
});
export type RailReference = z.infer<typeof railReference>;

/** An account number sealed with AES-256-GCM: base64 of nonce, tag and ciphertext, and the key that opens it. */
export const sealedAccountNumber = z.object({
  keyId: z.string(),
  ciphertext: z.string(),
  last4: z.string().max(4),
});
export type SealedAccountNumber = z.infer<typeof sealedAccountNumber>;
