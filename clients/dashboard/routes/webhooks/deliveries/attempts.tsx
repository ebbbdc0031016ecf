import type { WebhookDelivery } from "../../../../typescript/types.gen.ts";
import { Chip } from "../../../parts/values/chip.tsx";
import { Code } from "../../../parts/values/code.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { webhookTexts } from "../../../texts/webhooks.ts";

const { attempt: words } = webhookTexts;

type Attempt = WebhookDelivery["attempts"][number];

/** `200 · 48 ms`, or why there was no answer. */
export function resultInWords({ responseStatus, errorClass, durationMs }: Attempt): string {
  const result = responseStatus ?? (errorClass === null ? words.noAnswer : words.classes[errorClass]);
  return `${String(result)} · ${words.ms(durationMs)}`;
}

/** Every attempt, newest first: what the receiver answered, how long each part took. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p className="note first">{words.none}</p>;
  return (
    <ol className="attempts">
      {attempts.toReversed().map((attempt) => (
        <li key={attempt.at}>
          <AttemptShown attempt={attempt} />
        </li>
      ))}
    </ol>
  );
}

function AttemptShown({ attempt }: { attempt: Attempt }) {
  const { at, durationMs, responseStatus, responseBody, error, errorClass, timings } = attempt;
  const { dnsMs, connectMs, tlsMs, firstByteMs } = timings;
  const parts = [
    [words.parts.dns, dnsMs],
    [words.parts.connect, connectMs],
    [words.parts.tls, tlsMs],
    [words.parts.firstByte, firstByteMs],
  ] as const;
  return (
    <>
      <p className="attempt-head">
        <Chip tone={errorClass === null ? "ok" : "bad"}>
          {responseStatus ?? (errorClass === null ? words.noAnswer : words.classes[errorClass])}
        </Chip>
        <Moment at={at} />
        <span className="num push strong">{words.ms(durationMs)}</span>
      </p>
      {errorClass !== null && <p>{words.help[errorClass]}</p>}
      <p className="dim num">
        {parts.flatMap(([name, ms]) => (ms === null ? [] : [`${name} ${words.ms(ms)}`])).join(" · ")}
      </p>
      {error !== null && <p className="mono">{visible(error)}</p>}
      {responseBody !== null && responseBody !== "" && <Code label={words.answer} text={responseBody} />}
    </>
  );
}
