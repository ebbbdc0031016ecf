import type { OrderDirection, PaymentOrderPreviewCreate, Rail } from "../../../typescript/types.gen.ts";
import { centsOf } from "../../parts/cents-of.ts";

/** What the form holds, as typed. */
export interface OrderForm {
  readonly direction: OrderDirection;
  readonly rail: Rail;
  readonly amount: string;
  readonly account: string;
  /** The id of a stored counterparty; empty: its details are typed in. */
  readonly counterpartyId: string;
  readonly name: string;
  readonly accountNumber: string;
  readonly routingNumber: string;
  readonly externalId: string;
  readonly description: string;
  readonly effectiveDate: string;
}

export const emptyForm: OrderForm = {
  direction: "Credit",
  rail: "Ach",
  amount: "",
  account: "",
  counterpartyId: "",
  name: "",
  accountNumber: "",
  routingNumber: "",
  externalId: "",
  description: "",
  effectiveDate: "",
};

/** Which field of the form a pointer of the API's answer means. */
export const fieldOfPointer: Readonly<Record<string, keyof OrderForm>> = {
  "/direction": "direction",
  "/rail": "rail",
  "/amountCents": "amount",
  "/ledgerAccountName": "account",
  "/counterpartyId": "counterpartyId",
  "/counterpartyName": "name",
  "/counterpartyAccountNumber": "accountNumber",
  "/counterpartyRoutingNumber": "routingNumber",
  "/externalId": "externalId",
  "/description": "description",
  "/effectiveDate": "effectiveDate",
};

/** The request's body, or undefined while something is missing that every order needs. */
export function bodyOfForm(form: OrderForm): PaymentOrderPreviewCreate | undefined {
  const amountCents = centsOf(form.amount);
  const ledgerAccountName = form.account.trim();
  const counterparty = counterpartyOf(form);
  if (amountCents === undefined || ledgerAccountName === "" || counterparty === undefined) return undefined;
  return {
    direction: form.direction,
    rail: form.rail,
    amountCents,
    ledgerAccountName,
    ...counterparty,
    ...given("externalId", form.externalId),
    ...given("description", form.description),
    ...given("effectiveDate", form.effectiveDate),
  };
}

function counterpartyOf(form: OrderForm): Partial<PaymentOrderPreviewCreate> | undefined {
  const { rail, counterpartyId, name, accountNumber, routingNumber } = form;
  if (rail !== "Book" && counterpartyId !== "") return { counterpartyId };
  if (accountNumber.trim() === "") return undefined;
  if (rail === "Book")
    return { ...given("counterpartyAccountNumber", accountNumber), ...given("counterpartyName", name) };
  if (name.trim() === "" || routingNumber.trim() === "") return undefined;
  return {
    ...given("counterpartyName", name),
    ...given("counterpartyAccountNumber", accountNumber),
    ...given("counterpartyRoutingNumber", routingNumber),
  };
}

function given<K extends string>(name: K, text: string): Partial<Record<K, string>> {
  return text.trim() === "" ? {} : ({ [name]: text.trim() } as Record<K, string>);
}
