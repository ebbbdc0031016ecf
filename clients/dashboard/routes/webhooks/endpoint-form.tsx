import { useState } from "react";
import { useAwaySince } from "../../api/live.ts";
import { faultsOf } from "../../api/problem.ts";
import { FailureNote } from "../../parts/failure.tsx";
import { TextField } from "../../parts/field.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { texts } from "../../texts/texts.ts";
import type { EndpointDraft } from "./endpoint-draft.ts";

const { endpointForm: words, eventTypes: typeWords } = texts.webhooks;

interface EndpointFormProps {
  readonly title: string;
  readonly submit: string;
  readonly initial: EndpointDraft;
  readonly isAsking: boolean;
  readonly error: Error | null;
  readonly send: (draft: EndpointDraft) => void;
  readonly close: () => void;
}

export function EndpointForm({ title, submit, initial, isAsking, error, send, close }: EndpointFormProps) {
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
    <Sheet title={title} close={close}>
      <form
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
          <TextField
            label={words.backoffSeconds}
            hint={words.hints.backoffSeconds}
            fault={faultAt("/backoffSeconds")}
            value={draft.backoffSeconds}
            change={(backoffSeconds) => change({ backoffSeconds })}
          />
        </div>
        <div className="pair">
          {number("ratePerSecond")}
          {number("disableAfterDays")}
        </div>
        {error !== null && <FailureNote error={error} />}
        <div className="actions">
          <button
            type="submit"
            className="primary"
            disabled={isAsking || isAway || (!draft.isEveryType && draft.eventTypes.length === 0)}
          >
            {isAsking ? words.asking : submit}
          </button>
          <button type="button" onClick={close}>
            {words.cancel}
          </button>
        </div>
      </form>
    </Sheet>
  );
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
