import type { ErrorCode } from "../../../contracts/errors.ts";
import { isValidRoutingNumber } from "../../../contracts/rails/routing-number.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import { faultOfWallet } from "./wallet-address.ts";

const bankAccount = /^[A-Za-z0-9]{4,17}$/;
const wireAccount = /^[A-Za-z0-9]{1,34}$/;

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
  const shape = rail === "Wire" ? wireAccount : bankAccount;
  if (!shape.test(accountNumber)) {
    const lengths = rail === "Wire" ? "1 to 34" : "4 to 17";
    const message = `An account number on ${rail} has ${lengths} letters and digits.`;
    return { code: "invalid_field", field: "accountNumber", message };
  }
  if (!isValidRoutingNumber(routingNumber)) {
    const message = "The nine digits do not pass the ABA checksum. Check them with the counterparty.";
    return { code: "invalid_routing_number", field: "routingNumber", message };
  }
  return null;
}
