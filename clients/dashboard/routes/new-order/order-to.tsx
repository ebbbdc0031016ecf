import type { ReactNode } from "react";
import { useCounterparty } from "../../api/orders/counterparties.ts";
import { Failure, Loading } from "../../parts/page/failure.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { newOrderTexts as words } from "../../texts/new-order.ts";
import type { InitialForm } from "./copied-order.tsx";
import { emptyForm, formTo } from "./order-form.ts";

interface OrderToProps {
  readonly counterpartyId: string;
  readonly children: (initial: InitialForm) => ReactNode;
}

/** Reads a counterparty for whom an order begins. */
export function OrderTo({ counterpartyId, children }: OrderToProps) {
  const { data: counterparty, error, refetch } = useCounterparty(counterpartyId);
  if (counterparty === undefined)
    return error === null ? <Loading lines={10} /> : <Failure error={error} retry={refetch} />;
  const form = formTo(counterparty);
  if (form !== undefined) return children({ form });
  const note = counterparty.archivedAt === null ? words.noAccount : words.copy.archived;
  return children({ form: emptyForm, note: note(visible(counterparty.name)) });
}
