import type { ReactNode } from "react";
import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import { useCounterparty } from "../../api/orders/counterparties.ts";
import { useOrder } from "../../api/orders/order.ts";
import { Failure, Loading } from "../../parts/page/failure.tsx";
import { masked } from "../../parts/values/masked.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { newOrderTexts } from "../../texts/new-order.ts";
import { copiedForm, type OrderForm, unusableReason } from "./order-form.ts";

const { copy: words } = newOrderTexts;

/** What the form of a new order begins with. */
export interface InitialForm {
  readonly form: OrderForm;
  /** Why something of the copied order is missing. */
  readonly note?: string;
}

interface CopiedOrderProps {
  readonly id: string;
  readonly children: (initial: InitialForm) => ReactNode;
}

/** Reads an order to copy, and its counterparty: it may have been archived since. */
export function CopiedOrder({ id, children }: CopiedOrderProps) {
  const { data: order, error, refetch } = useOrder(id);
  const counterparty = useCounterparty(order?.counterpartyId ?? null);
  if (order === undefined && error !== null) return <Failure error={error} retry={refetch} />;
  // Fetched or failed once is enough. While it is read again, the form stays, with what was typed.
  const isRead = order?.counterpartyId === null || counterparty.isFetched;
  if (order === undefined || !isRead) return <Loading lines={10} />;
  const problem = unusableReason(order, counterparty.data);
  const missing =
    problem === undefined ? maskedNote(order) : words[problem](visible(order.counterpartyName ?? ""));
  return children({
    form: copiedForm(order, counterparty.data),
    note: [words.lead, missing].filter((text) => text !== undefined).join(" "),
  });
}

function maskedNote({ counterpartyId, rail, counterpartyAccountNumber }: PaymentOrder): string | undefined {
  if (counterpartyId !== null || rail === "Book" || counterpartyAccountNumber === null) return undefined;
  return words.masked(masked(counterpartyAccountNumber));
}
