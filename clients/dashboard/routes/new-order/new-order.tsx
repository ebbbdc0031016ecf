import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useMemo, useState } from "react";
import { useAwaySince } from "../../api/client/live.ts";
import { useCreateOrder, usePreview } from "../../api/orders/new-order.ts";
import { problemOf } from "../../api/client/problem.ts";
import { Card } from "../../parts/page/card.tsx";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { FailureNote } from "../../parts/page/failure.tsx";
import { money } from "../../parts/values/money.ts";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { usePaused } from "../../parts/form/paused.ts";
import { newOrderTexts as words } from "../../texts/new-order.ts";
import { orderPageTexts } from "../../texts/order.ts";
import { CopiedOrder, type InitialForm } from "./copied-order.tsx";
import { Fields } from "./fields.tsx";
import { bodyOfForm, emptyForm, fieldOfPointer, type OrderForm } from "./order-form.ts";
import { OrderTo } from "./order-to.tsx";
import { Preview } from "./preview.tsx";

const route = getRouteApi("/shell/orders/new");

/** A new order: empty, to a counterparty, or filled with the values of another. */
export function NewOrder() {
  return (
    <div className="body">
      <PageTitle
        text={words.title}
        crumb={
          <>
            <Link className="crumb" to="/orders">
              {orderPageTexts.crumb}
            </Link>
            <span className="crumb"> / </span>
          </>
        }
      />
      <Begun />
    </div>
  );
}

function Begun() {
  const { copyOf, counterpartyId } = route.useSearch();
  if (copyOf !== undefined) {
    return (
      <CopiedOrder key={copyOf} id={copyOf}>
        {(initial) => <NewOrderForm {...initial} />}
      </CopiedOrder>
    );
  }
  if (counterpartyId === undefined) return <NewOrderForm form={emptyForm} />;
  return (
    <OrderTo key={counterpartyId} counterpartyId={counterpartyId}>
      {(initial) => <NewOrderForm {...initial} />}
    </OrderTo>
  );
}

/** The form, with the API's preview of it at each pause, before anything is created. */
function NewOrderForm({ form: first, note }: InitialForm) {
  const [form, setForm] = useState<OrderForm>(first);
  const navigate = useNavigate();
  const create = useCreateOrder();
  const isAway = useAwaySince() !== null;
  const body = useMemo(() => bodyOfForm(form), [form]);
  const preview = usePreview(usePaused(body));
  const isUnknown = create.isError && mayHaveBeenMade(create.error);
  const refusal = isUnknown ? null : create.error;
  const error = refusal ?? (body === undefined ? null : preview.error);
  const change = (part: Partial<OrderForm>) => {
    if (refusal !== null) create.reset();
    setForm({ ...form, ...part });
  };
  const send = (submit: boolean) => {
    if (body === undefined || isAway) return;
    create.mutate(
      { ...body, submit },
      { onSuccess: ({ id }) => void navigate({ to: "/orders/$id", params: { id } }) },
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(true);
  };
  const cannotSend = body === undefined || create.isPending || isAway;
  return (
    <>
      {note !== undefined && <p className="banner">{note}</p>}
      <form className="order-columns with-preview" onSubmit={submit}>
        <Card title={words.order}>
          <div className="form">
            <Fields form={form} change={change} faults={faultsOf(error)} />
            {create.isError && <FailureNote error={create.error} />}
            {isUnknown && <p className="banner warn">{words.unknown}</p>}
            <div className="actions">
              <button type="submit" className="primary big" disabled={cannotSend}>
                {create.isPending
                  ? words.asking
                  : body === undefined
                    ? words.submitAny
                    : words.submit[form.direction](money(body.amountCents))}
              </button>
              <button type="button" className="big" disabled={cannotSend} onClick={() => send(false)}>
                {words.draft}
              </button>
              {body !== undefined && (
                <CopyCurl
                  request={{ method: "POST", path: "/v1/payment-orders", body: { ...body, submit: true } }}
                />
              )}
            </div>
          </div>
        </Card>
        <Preview
          direction={form.direction}
          effectiveDate={form.effectiveDate}
          preview={body === undefined ? undefined : preview.data}
          error={body === undefined || refusal !== null ? null : preview.error}
          isAsking={preview.isFetching}
        />
      </form>
    </>
  );
}

/** Nobody knows what became of a request without an answer. One above the rate limit was not carried out. */
function mayHaveBeenMade(error: unknown): boolean {
  const { retryable, status } = problemOf(error);
  return retryable && status !== 429;
}

/** What is wrong at each field. */
function faultsOf(error: unknown): Partial<Record<keyof OrderForm, string>> {
  if (error === null) return {};
  const faults = problemOf(error).faults.flatMap(({ pointer, message }) => {
    const field = fieldOfPointer[pointer];
    return field === undefined ? [] : [[field, message] as const];
  });
  return Object.fromEntries(faults);
}
