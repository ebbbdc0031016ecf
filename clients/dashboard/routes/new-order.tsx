import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useMemo, useState } from "react";
import { useCreateOrder, usePreview } from "../api/new-order.ts";
import { problemOf } from "../api/problem.ts";
import { Card } from "../parts/card.tsx";
import { FailureNote } from "../parts/failure.tsx";
import { money } from "../parts/money.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { usePaused } from "../parts/paused.ts";
import { texts } from "../texts/texts.ts";
import { Fields } from "./new-order/fields.tsx";
import { bodyOfForm, emptyForm, fieldOfPointer, type OrderForm } from "./new-order/order-form.ts";
import { Preview } from "./new-order/preview.tsx";

const { newOrder: words } = texts;

/** A new order, with the API's preview of it at each pause, before anything is created. */
export function NewOrder() {
  const [form, setForm] = useState<OrderForm>(emptyForm);
  const navigate = useNavigate();
  const create = useCreateOrder();
  const body = useMemo(() => bodyOfForm(form), [form]);
  const preview = usePreview(usePaused(body));
  const error = create.error ?? (body === undefined ? null : preview.error);
  const change = (part: Partial<OrderForm>) => {
    create.reset();
    setForm({ ...form, ...part });
  };
  const send = (submit: boolean) => {
    if (body === undefined) return;
    create.mutate(
      { ...body, submit },
      { onSuccess: ({ id }) => void navigate({ to: "/orders/$id", params: { id } }) },
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(true);
  };
  const cannotSend = body === undefined || create.isPending;
  return (
    <div className="body">
      <PageTitle
        text={words.title}
        crumb={
          <>
            <Link className="crumb" to="/orders">
              {texts.orderPage.crumb}
            </Link>
            <span className="crumb"> / </span>
          </>
        }
      />
      <form className="order-columns with-preview" onSubmit={submit}>
        <Card title={words.order}>
          <div className="form">
            <Fields form={form} change={change} faults={faultsOf(error)} />
            {create.isError && <FailureNote error={create.error} />}
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
            </div>
          </div>
        </Card>
        <Preview
          direction={form.direction}
          preview={body === undefined ? undefined : preview.data}
          error={body === undefined || create.isError ? null : preview.error}
          isAsking={preview.isFetching}
        />
      </form>
    </div>
  );
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
