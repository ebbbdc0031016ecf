import { type ErrorCode, Refusal } from "../../../contracts/errors.ts";
import type { EncryptedAccountNumber } from "../../../contracts/rails/rails.ts";
import { accountFaultOf } from "./account-format.ts";
import type { CounterpartyAccount } from "./counterparty.ts";

function refuse(code: ErrorCode, index: number, field: string, detail: string): never {
  const pointer = `/accounts/${String(index)}/${field}`;
  throw new Refusal(code, detail, { errors: [{ pointer, code, message: detail }] });
}

/**
 * Checks a counterparty's accounts: at most one per rail, each with numbers that the rail accepts. Throws the
 * `Refusal` of the first fault: `invalid_field`, `invalid_routing_number` or `invalid_wallet_address`.
 */
export function checkAccounts(
  accounts: readonly CounterpartyAccount[],
  decrypt: (encrypted: EncryptedAccountNumber) => string,
): void {
  accounts.forEach(({ rail, accountNumber, routingNumber, accountType }, index) => {
    if (accounts.findIndex((account) => account.rail === rail) < index) {
      refuse("invalid_field", index, "rail", `A counterparty has one account per rail, and ${rail} has one.`);
    }
    const fault = accountFaultOf(rail, decrypt(accountNumber), routingNumber);
    if (fault !== null) refuse(fault.code, index, fault.field, fault.message);
    if (accountType !== null && (accountType === "Wallet") !== (rail === "Usdc")) {
      const types = rail === "Usdc" ? "Wallet" : "Checking or Savings";
      refuse("invalid_field", index, "accountType", `An account on ${rail} is ${types}. Send that, or none.`);
    }
  });
}
