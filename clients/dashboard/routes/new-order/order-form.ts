import type {
  Counterparty,
  OrderDirection,
  PaymentOrder,
  PaymentOrderPreviewCreate,
  Rail,
} from "../../../typescript/types.gen.ts";
import { centsOf } from "../../parts/values/cents-of.ts";
import { money } from "../../parts/values/money.ts";

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
  readonly purpose: string;
  readonly statementDescriptor: string;
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
  purpose: "",
  statementDescriptor: "",
  effectiveDate: "",
};

/** Why the counterparty of a copied order can't be named again. */
export type UnusableReason = "archived" | "otherRail";

export function unusableReason(
  order: PaymentOrder,
  counterparty: Counterparty | undefined,
): UnusableReason | undefined {
  if (counterparty === undefined) return undefined;
  if (counterparty.archivedAt !== null) return "archived";
  return counterparty.accounts.some(({ rail }) => rail === order.rail) ? undefined : "otherRail";
}

/**
 * The form filled with an order's values. The account number is left out because the API masks it, the counterparty if
 * no new order can name it, and the effective date because it concerned that order alone.
 */
export function copiedForm(order: PaymentOrder, counterparty: Counterparty | undefined): OrderForm {
  const { counterpartyId, counterpartyName, counterpartyAccountNumber, counterpartyRoutingNumber } = order;
  const isTyped = counterpartyId === null;
  return {
    ...emptyForm,
    direction: order.direction,
    rail: order.rail,
    amount: money(order.amountCents).replace("$", ""),
    account: order.ledgerAccountName ?? "",
    counterpartyId: isTyped || unusableReason(order, counterparty) !== undefined ? "" : counterpartyId,
    // On Book the API fills in the name of the tenant's account.
    name: isTyped && order.rail !== "Book" ? (counterpartyName ?? "") : "",
    // On Book it is the id of an account of the tenant's own, which is not masked.
    accountNumber: order.rail === "Book" ? (counterpartyAccountNumber ?? "") : "",
    routingNumber: isTyped ? (counterpartyRoutingNumber ?? "") : "",
    externalId: order.externalId ?? "",
    description: order.description ?? "",
    purpose: order.purpose ?? "",
    statementDescriptor: order.statementDescriptor ?? "",
  };
}

/**
 * The form of an order to a counterparty: on ACH, or on another rail if it has no account there. Undefined if no new
 * order can name it.
 */
export function formTo({ id, accounts, archivedAt }: Counterparty): OrderForm | undefined {
  const rails = accounts.map(({ rail }) => rail);
  const rail = rails.includes(emptyForm.rail) ? emptyForm.rail : rails[0];
  if (rail === undefined || archivedAt !== null) return undefined;
  return { ...emptyForm, rail, counterpartyId: id };
}

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
  "/purpose": "purpose",
  "/statementDescriptor": "statementDescriptor",
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
    ...given("purpose", form.purpose),
    ...given("statementDescriptor", form.statementDescriptor),
    ...given("effectiveDate", form.effectiveDate),
  };
}

function counterpartyOf(form: OrderForm): Partial<PaymentOrderPreviewCreate> | undefined {
  const { rail, counterpartyId, name, accountNumber, routingNumber } = form;
  if (rail !== "Book" && counterpartyId !== "") return { counterpartyId };
  if (accountNumber.trim() === "") return undefined;
  // The API names the account. A name that was typed for another rail would be shown to approvers in its place.
  if (rail === "Book") return given("counterpartyAccountNumber", accountNumber);
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
