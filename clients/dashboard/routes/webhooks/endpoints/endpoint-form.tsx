import { useState } from "react";
import { useAwaySince } from "../../../api/client/live.ts";
import { faultsOf } from "../../../api/client/problem.ts";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import type { CurlRequest } from "../../../parts/copy/curl.ts";
import { TextField } from "../../../parts/form/field.tsx";
import { Sheet } from "../../../parts/page/sheet.tsx";
import { ConfirmFailure } from "../../../shell/confirm-failure.tsx";
import { webhookTexts } from "../../../texts/webhooks.ts";
import { changesOf, draftOf, type EndpointDraft, pausesInWords, pausesOf } from "./endpoint-draft.ts";

const { endpointForm: words, eventTypes: typeWords } = webhookTexts;
const formId = "endpoint";

interface EndpointFormProps {
  readonly title: string;
  readonly submit: string;
  readonly initial: EndpointDraft;
  /** Undefined for a new endpoint. */
  readonly id?: string;
  readonly isAsking: boolean;
  readonly error: Error | null;
  readonly send: (draft: EndpointDraft) => void;
  readonly close: () => void;
}

export function EndpointForm({
  title,
  submit,
  initial,
  id,
  isAsking,
  error,
  send,
  close,
}: EndpointFormProps) {
  const [draft, setDraft] = useState(initial);
  const isAway = useAwaySince() !== null;
  const faultAt = faultsOf(error);
  const change = (part: Partial<EndpointDraft>) => setDraft({ ...draft, ...part });
  const number = (field: "maxAttempts" | "ratePerSecond" | "disableAfterDays") => (
    <TextField
      label={words[field]}
      hint={words.hints[field]}
      fault={faultAt(`/${field}`)}
      inputMode="numeric"
      value={draft[field]}
      change={(value) => change({ [field]: value })}
    />
  );
  return (
    <Sheet title={title} close={close} isAsking={isAsking}>
      <form
        id={formId}
        className="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          send(draft);
        }}
      >
        <TextField
          label={words.url}
          hint={words.hints.url}
          fault={faultAt("/url")}
          required
          type="url"
          value={draft.url}
          change={(url) => change({ url })}
        />
        <TextField
          label={words.description}
          fault={faultAt("/description")}
          maxLength={255}
          value={draft.description}
          change={(description) => change({ description })}
        />
        <EventTypes draft={draft} change={change} />
        <div className="pair">
          {number("maxAttempts")}
          <Pauses draft={draft} change={change} faultAt={faultAt} />
        </div>
        <div className="pair">
          {number("ratePerSecond")}
          {number("disableAfterDays")}
        </div>
      </form>
      {id === undefined && <p>{words.secret}</p>}
      <ConfirmFailure error={error} retry={() => send(draft)} />
      <div className="actions">
        <button
          type="submit"
          form={formId}
          className="primary"
          disabled={isAsking || isAway || !isComplete(draft)}
        >
          {isAsking ? words.asking : submit}
        </button>
        <button type="button" disabled={isAsking} onClick={close}>
          {words.cancel}
        </button>
        <CopyCurl request={requestOf(draft, initial, id)} />
      </div>
    </Sheet>
  );
}

function isComplete({ pauses, isEveryType, eventTypes }: EndpointDraft): boolean {
  return pausesOf(pauses).unreadable === undefined && (isEveryType || eventTypes.length > 0);
}

interface PausesProps extends EventTypesProps {
  readonly faultAt: ReturnType<typeof faultsOf>;
}

/** Says how the pauses are understood, or what of them can't be read or is refused. */
function Pauses({ draft, change, faultAt }: PausesProps) {
  const { seconds, unreadable } = pausesOf(draft.pauses);
  // The API names the pause that it refuses, or all of them where there are too many.
  const refusal = seconds
    ?.map((_pause, index) => faultAt(`/backoffSeconds/${String(index)}`))
    .find((fault) => fault !== undefined);
  return (
    <TextField
      label={words.pauses}
      hint={pausesInWords(seconds) || words.hints.pauses}
      fault={
        unreadable === undefined ? (refusal ?? faultAt("/backoffSeconds")) : words.unreadable(unreadable)
      }
      value={draft.pauses}
      change={(pauses) => change({ pauses })}
    />
  );
}

function requestOf(draft: EndpointDraft, initial: EndpointDraft, id: string | undefined): CurlRequest {
  return id === undefined
    ? { method: "POST", path: "/v1/webhook-endpoints", body: draftOf(draft) }
    : { method: "PATCH", path: `/v1/webhook-endpoints/${id}`, body: changesOf(initial, draft) };
}

interface EventTypesProps {
  readonly draft: EndpointDraft;
  readonly change: (part: Partial<EndpointDraft>) => void;
}

function EventTypes({ draft: { isEveryType, eventTypes }, change }: EventTypesProps) {
  const toggle = (type: string) => {
    const others = eventTypes.filter((one) => one !== type);
    change({ eventTypes: others.length === eventTypes.length ? [...others, type] : others });
  };
  return (
    <fieldset className="choices">
      <legend>{words.eventTypes}</legend>
      <label>
        <input
          type="checkbox"
          className="tick"
          checked={isEveryType}
          onChange={() => change({ isEveryType: !isEveryType })}
        />
        <span>{words.everyType}</span>
      </label>
      {!isEveryType &&
        Object.entries(typeWords)
          .filter(([type]) => type !== "test.event")
          .map(([type, text]) => (
            <label key={type}>
              <input
                type="checkbox"
                className="tick"
                checked={eventTypes.includes(type)}
                onChange={() => toggle(type)}
              />
              <span>
                {text} <span className="mono">{type}</span>
              </span>
            </label>
          ))}
    </fieldset>
  );
}
