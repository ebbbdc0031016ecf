import { keccak_256 } from "@noble/hashes/sha3.js";
import { base58 } from "@scure/base";
import type { ErrorCode } from "../../../contracts/errors.ts";
import { isValidRoutingNumber } from "../../../contracts/rails/routing-number.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";

const achAccount = { shape: /^[A-Za-z0-9]{4,17}$/, length: "4 to 17" };

/** The account numbers of the rails between banks. A new rail that is missing here does not compile. */
const bankAccounts = {
  Ach: achAccount,
  SameDayAch: achAccount,
  Rtp: achAccount,
  Wire: { shape: /^[A-Za-z0-9]{1,34}$/, length: "1 to 34" },
} satisfies Partial<Record<Rail, { readonly shape: RegExp; readonly length: string }>>;

const evmNetworks = new Set(["ethereum", "base", "polygon"]);
/** A wallet's network is sent as its routing number. */
export const sendNetwork = "Send the network: ethereum, base, polygon or solana.";
const zeroAddress = "0x0000000000000000000000000000000000000000";
/** Circle's USDC contract per network: money sent to the token's own contract is lost. */
const tokenContracts: Readonly<Record<string, string>> = {
  ethereum: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
  base: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
  polygon: "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359",
  solana: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
};
const base58Text = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const ownContract = "This is the token's own contract. Send the receiver's wallet.";
const nobody = "The zero address belongs to nobody. Send the receiver's wallet.";

export interface AccountFault {
  readonly code: ErrorCode;
  readonly field: "accountNumber" | "routingNumber";
  readonly message: string;
}

/**
 * The fault of an external account on its rail, or null. An order's inline details and a counterparty's account meet
 * the same rules. Not for Book, whose accounts belong to the book itself.
 */
export function accountFaultOf(
  rail: Exclude<Rail, "Book">,
  accountNumber: string,
  routingNumber: string,
): AccountFault | null {
  if (rail === "Usdc") {
    const fault = faultOfWallet(accountNumber, routingNumber);
    return fault === null ? null : { code: "invalid_wallet_address", ...fault };
  }
  const { shape, length } = bankAccounts[rail];
  if (!shape.test(accountNumber)) {
    const message = `An account number on ${rail} has ${length} letters and digits.`;
    return { code: "invalid_field", field: "accountNumber", message };
  }
  if (!isValidRoutingNumber(routingNumber)) {
    const message = "Send a nine-digit ABA routing number with a valid checksum.";
    return { code: "invalid_routing_number", field: "routingNumber", message };
  }
  return null;
}

/** The fault of a wallet address on its network, or null. Mixed-case EVM addresses must pass EIP-55. */
function faultOfWallet(address: string, network: string): Omit<AccountFault, "code"> | null {
  if (network !== "solana" && !evmNetworks.has(network)) {
    return { field: "routingNumber", message: sendNetwork };
  }
  const reason = network === "solana" ? faultOfSolana(address) : faultOfEvm(address, network);
  return reason === null ? null : { field: "accountNumber", message: reason };
}

/** A Solana address is a public key of 32 bytes without a checksum. Without its last two characters it is shorter. */
function faultOfSolana(address: string): string | null {
  if (!base58Text.test(address)) return "A Solana address has 32 to 44 base58 characters.";
  const key = base58.decode(address);
  if (key.length !== 32) return "A Solana address is 32 bytes in base58. Check it with the receiver.";
  if (key.every((byte) => byte === 0)) return nobody;
  return address === tokenContracts["solana"] ? ownContract : null;
}

function faultOfEvm(address: string, network: string): string | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    return "An address on this network is 0x and 40 hexadecimal digits.";
  const lower = address.toLowerCase();
  if (lower === zeroAddress) return nobody;
  if (lower === tokenContracts[network]) return ownContract;
  const digits = address.slice(2);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return oneCase || address === checksummed(lower)
    ? null
    : "The address fails its EIP-55 checksum. Check it with the receiver.";
}

/** EIP-55: a letter is upper case where the keccak-256 of the lower-case digits has a nibble of 8 or more. */
function checksummed(lower: string): string {
  const digits = lower.slice(2);
  const hash = Buffer.from(keccak_256(Buffer.from(digits, "ascii"))).toString("hex");
  return `0x${[...digits].map((digit, index) => (Number.parseInt(hash[index] ?? "0", 16) >= 8 ? digit.toUpperCase() : digit)).join("")}`;
}
