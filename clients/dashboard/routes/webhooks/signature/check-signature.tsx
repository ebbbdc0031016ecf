import { useState } from "react";
import { useDiagnosis } from "../../../api/developers/diagnosis.ts";
import { Field, TextField } from "../../../parts/form/field.tsx";
import { Card } from "../../../parts/page/card.tsx";
import { FailureNote } from "../../../parts/page/failure.tsx";
import { signatureTexts as words } from "../../../texts/signature.ts";
import { type Received, type Verdict, verdictOf } from "./verify.ts";

const nothing: Received = { body: "", header: "", id: "", timestamp: "", secret: "" };

/** Says why a receiver refuses a request. The secret stays in this component, and goes with it. */
export function CheckSignature({ endpointId }: { endpointId: string }) {
  const [received, setReceived] = useState(nothing);
  const [verdict, setVerdict] = useState<Verdict>();
  const { body, header, id, timestamp, secret } = received;
  const change = (part: Partial<Received>) => {
    setVerdict(undefined);
    setReceived({ ...received, ...part });
  };
  const needsTimestamp = /(^|\s)v1,/.test(header);
  return (
    <Card title={words.title}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void verdictOf(received, Date.now()).then(setVerdict);
        }}
      >
        <p className="dim">{words.text}</p>
        <Field label={words.body} hint={words.bodyHint}>
          {(own) => (
            <textarea
              {...own}
              className="mono code"
              rows={4}
              required
              spellCheck={false}
              value={body}
              onChange={(event) => change({ body: event.target.value })}
            />
          )}
        </Field>
        <TextField
          label={words.header}
          hint={words.headerHint}
          className="mono"
          required
          value={header}
          change={(value) => change({ header: value })}
        />
        {needsTimestamp && (
          <div className="pair">
            <TextField
              label={words.headerId}
              className="mono"
              value={id}
              change={(value) => change({ id: value })}
            />
            <TextField
              label={words.headerTimestamp}
              className="mono"
              inputMode="numeric"
              value={timestamp}
              change={(value) => change({ timestamp: value })}
            />
          </div>
        )}
        <TextField
          label={words.secret}
          className="mono secret-input"
          required
          spellCheck={false}
          value={secret}
          change={(value) => change({ secret: value })}
        />
        <div className="actions">
          <button type="submit">{words.check}</button>
        </div>
        <p className="strong" aria-live="polite">
          {verdict !== undefined && words.verdicts[verdict]}
        </p>
        {verdict === "NoMatch" && <Comparison endpointId={endpointId} received={received} />}
      </form>
    </Card>
  );
}

interface ComparisonProps {
  readonly endpointId: string;
  readonly received: Received;
}

/** Only the service knows what was sent. It tells a changed body from another secret without seeing the secret. */
function Comparison({ endpointId, received: { body, header, id, timestamp } }: ComparisonProps) {
  const { mutate, isPending, data, error } = useDiagnosis();
  const sent = {
    ...(id.trim() === "" ? {} : { id: id.trim() }),
    ...(timestamp.trim() === "" ? {} : { timestamp: timestamp.trim() }),
  };
  return (
    <>
      <p className="dim">{words.compareText}</p>
      <div className="actions">
        <button
          type="button"
          disabled={isPending}
          onClick={() => mutate({ endpointId, body, header, ...sent })}
        >
          {words.compare}
        </button>
      </div>
      {error !== null && <FailureNote error={error} />}
      <p className="strong" aria-live="polite">
        {data !== undefined &&
          (data.verdict === "Valid" && data.secret !== null
            ? words.otherSecret(data.secret.version)
            : data.explanation)}{" "}
        {typeof data?.firstDifferentByte === "number" && words.differsAt(data.firstDifferentByte)}
      </p>
    </>
  );
}
