import type {
  AccountType,
  Counterparty,
  CounterpartyBody,
  CounterpartyType,
  ExternalRail,
} from "../../../../typescript/types.gen.ts";
import { masked } from "../../../parts/values/masked.ts";
import { counterpartyTexts } from "../../../texts/counterparties.ts";

const { form } = counterpartyTexts;

export const rails = ["Ach", "SameDayAch", "Rtp", "Wire", "Usdc"] as const satisfies readonly ExternalRail[];

/** An account as typed. */
export interface AccountDraft {
  readonly rail: ExternalRail;
  readonly accountNumber: string;
  readonly routingNumber: string;
  /** Empty where it is not said, and on Usdc, where each is a wallet. */
  readonly accountType: "" | Exclude<AccountType, "Wallet">;
  /** The stored number, masked; empty for an account that is new. */
  readonly stored: string;
}

/** What the form holds, as typed. */
export interface CounterpartyDraft {
  readonly name: string;
  readonly type: CounterpartyType;
  readonly email: string;
  readonly externalId: string;
  readonly accounts: readonly AccountDraft[];
}

/** A new account on the first rail that has none. */
export function emptyAccount(others: readonly AccountDraft[]): AccountDraft {
  const rail = rails.find((one) => others.every((account) => account.rail !== one)) ?? "Ach";
  return { rail, accountNumber: "", routingNumber: "", accountType: "", stored: "" };
}

export const emptyDraft: CounterpartyDraft = {
  name: "",
  type: "Business",
  email: "",
  externalId: "",
  accounts: [emptyAccount([])],
};

/** The API shows no account number, so each is typed again. */
export function draftOf({ name, type, email, externalId, accounts }: Counterparty): CounterpartyDraft {
  return {
    name,
    type,
    email: email ?? "",
    externalId: externalId ?? "",
    accounts: accounts.flatMap(({ rail, accountNumber, routingNumber, accountType }) =>
      rail === "Book"
        ? []
        : [
            {
              rail,
              accountNumber: "",
              routingNumber,
              accountType: accountType === null || accountType === "Wallet" ? "" : accountType,
              stored: masked(accountNumber),
            },
          ],
    ),
  };
}

/** What the form still needs, or null. */
export function missingIn({ name, accounts }: CounterpartyDraft): string | null {
  if (name.trim() === "") return form.nameMissing;
  const isComplete = ({ accountNumber, routingNumber }: AccountDraft) =>
    accountNumber.trim() !== "" && routingNumber.trim() !== "";
  return accounts.every(isComplete) ? null : form.incomplete;
}

/** The request's body, which replaces the counterparty in full: its metadata goes along unchanged. */
export function bodyOfDraft(
  draft: CounterpartyDraft,
  metadata: Counterparty["metadata"],
): CounterpartyBody | undefined {
  if (missingIn(draft) !== null) return undefined;
  const { name, type, email, externalId, accounts } = draft;
  return {
    name: name.trim(),
    type,
    ...(email.trim() === "" ? {} : { email: email.trim() }),
    ...(externalId.trim() === "" ? {} : { externalId: externalId.trim() }),
    accounts: accounts.map(({ rail, accountNumber, routingNumber, accountType }) => ({
      rail,
      accountNumber: accountNumber.trim(),
      routingNumber: routingNumber.trim(),
      ...(accountType === "" || rail === "Usdc" ? {} : { accountType }),
    })),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}
