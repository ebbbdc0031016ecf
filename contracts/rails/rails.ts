import { z } from "zod";

export const rails = ["Ach", "SameDayAch", "Rtp", "Wire", "Book", "Usdc"] as const;
export const rail = z.enum(rails).meta({ description: "The payment network that carries the money." });
export type Rail = z.infer<typeof rail>;

/** Credit pushes money to the counterparty, Debit collects from it. */
export const orderDirection = z
  .enum(["Credit", "Debit"])
  .meta({ description: "Credit pushes money to the counterparty, Debit collects from it." });
export type OrderDirection = z.infer<typeof orderDirection>;

export const mode = z
  .enum(["Test", "Live"])
  .meta({ description: "The mode of the API key: Test money is simulated, Live money is real." });

/** The rail's own reference for a payment. The rail decides which member is set. */
export const railReference = z.object({
  traceNumber: z.string().optional().meta({ description: "Ach and SameDayAch: 15 digits." }),
  imad: z.string().optional().meta({ description: "Wire: Fedwire's input message accountability data." }),
  endToEndId: z.string().optional().meta({ description: "Rtp: the ISO 20022 EndToEndId." }),
  txHash: z.string().optional().meta({ description: "Usdc: the hash of the transaction on its chain." }),
});
export type RailReference = z.infer<typeof railReference>;

/** An account number encrypted with AES-256-GCM: base64 of nonce, tag and ciphertext, and the id of its key. */
export const encryptedAccountNumber = z.object({
  keyId: z.string(),
  ciphertext: z.string(),
  last4: z.string().max(4),
});
export type EncryptedAccountNumber = z.infer<typeof encryptedAccountNumber>;
