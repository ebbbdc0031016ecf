import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { TestSink, TestSinkRequest } from "../../../../typescript/types.gen.ts";
import { useEndpoints } from "../../../api/developers/endpoints.ts";
import { useAwaySince } from "../../../api/client/live.ts";
import { useMay } from "../../../api/people/me.ts";
import { faultsOf } from "../../../api/client/problem.ts";
import {
  useClearSink,
  useConnectSink,
  useDeleteSink,
  useSink,
  useSinkRequests,
  useUpdateSink,
} from "../../../api/developers/sinks.ts";
import { Card } from "../../../parts/page/card.tsx";
import { Chip } from "../../../parts/values/chip.tsx";
import { Code } from "../../../parts/values/code.tsx";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { Failure, FailureNote, Loading } from "../../../parts/page/failure.tsx";
import { TextField } from "../../../parts/form/field.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { Secret } from "../../../parts/copy/secret.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { ConfirmFailure } from "../../../shell/confirm-failure.tsx";
import { webhookTexts } from "../../../texts/webhooks.ts";
import { answersInWords, answersOf } from "../deliveries/answers.ts";
import { Crumb } from "../crumb.tsx";

const { sink: words } = webhookTexts;
const route = getRouteApi("/shell/sandbox/webhooks/sinks/$id");

/** What arrived, the moment that it arrives, and what the sink answered. */
export function Sink() {
  const { id } = route.useParams();
  const { data, error, refetch } = useSink(id);
  return (
    <div className="body">
      <PageTitle text={words.title} crumb={<Crumb to="/webhooks/sinks" />} />
      {data === undefined && (error === null ? <Loading /> : <Failure error={error} retry={refetch} />)}
      {data !== undefined && <Shown sink={data} />}
    </div>
  );
}

function Shown({ sink }: { sink: TestSink }) {
  const requests = useSinkRequests(sink.id);
  const mayWrite = useMay("webhooks:write");
  return (
    <div className="order-columns">
      <Card title={words.requests} aside={words.live}>
        {requests.data === undefined && requests.isError ? (
          <Failure error={requests.error} retry={requests.refetch} />
        ) : requests.data === undefined ? (
          <Loading />
        ) : requests.data.length === 0 ? (
          <p className="note first">{words.none}</p>
        ) : (
          <ol className="attempts" aria-live="polite">
            {requests.data.map((request) => (
              <li key={request.number}>
                <Request request={request} />
              </li>
            ))}
          </ol>
        )}
      </Card>
      <div className="column">
        <Card title={words.address}>
          <div className="simulator">
            <p className="dim">{words.addressText}</p>
            <Secret label={words.address} text={sink.url} />
            {mayWrite && <Connect sink={sink} />}
          </div>
        </Card>
        {mayWrite && <Script sink={sink} />}
        {mayWrite && <Remove sink={sink} />}
      </div>
    </div>
  );
}

function Request({ request }: { request: TestSinkRequest }) {
  const { number, receivedAt, headers, body, respondedStatus, verifiedByEndpointId } = request;
  return (
    <details>
      <summary>
        <span className="num dim">#{number}</span>
        <b>{typeOf(body)}</b>
        <Chip tone={verifiedByEndpointId === null ? "warn" : "ok"}>
          {verifiedByEndpointId === null ? words.unsigned : words.signed}
        </Chip>
        <span className="push num">{respondedStatus === 0 ? words.noAnswer : respondedStatus}</span>
        <Moment at={receivedAt} as="time" />
      </summary>
      <Code label={words.body} text={body ?? words.binary} />
      <Code
        label={words.headers}
        text={Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join("\n")}
      />
    </details>
  );
}

/** The event's type, or the beginning of what came. */
function typeOf(body: string | null): string {
  try {
    const { type } = JSON.parse(body ?? "") as { type?: unknown };
    if (typeof type === "string") return visible(type);
  } catch {
    // Not one of our events: it is shown as it came.
  }
  return visible((body ?? words.binary).slice(0, 40));
}

/** An endpoint that sends every event here, unless there is one. */
function Connect({ sink: { url } }: { sink: TestSink }) {
  const { data: endpoints } = useEndpoints();
  const connect = useConnectSink();
  const isAway = useAwaySince() !== null;
  if (endpoints === undefined) return null;
  const body = { url, eventTypes: ["*" as const] };
  const send = () => connect.mutate(body);
  if (endpoints.some((endpoint) => endpoint.url === url)) return <p className="dim">{words.connected}</p>;
  return (
    <>
      <div className="actions">
        <button type="button" className="primary" disabled={connect.isPending || isAway} onClick={send}>
          {connect.isPending ? webhookTexts.endpointForm.asking : words.connect}
        </button>
        <CopyCurl request={{ method: "POST", path: "/v1/webhook-endpoints", body }} />
      </div>
      <ConfirmFailure error={connect.error} retry={send} />
    </>
  );
}

/** What the sink answers, in turn. */
function Script({ sink: { id, script, delayMs } }: { sink: TestSink }) {
  const update = useUpdateSink(id);
  const isAway = useAwaySince() !== null;
  const [answers, setAnswers] = useState(() => answersInWords(script));
  const [delay, setDelay] = useState(String(delayMs));
  const faultAt = faultsOf(update.error);
  const body = { respond: answersOf(answers), delayMs: Number(delay) };
  return (
    <Card title={words.script}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          update.mutate(body);
        }}
      >
        <TextField
          label={words.answers}
          hint={words.answersHint}
          fault={faultAt("/respond")}
          required
          value={answers}
          change={setAnswers}
        />
        <TextField
          label={words.delay}
          fault={faultAt("/delayMs")}
          inputMode="numeric"
          value={delay}
          change={setDelay}
        />
        {update.isError && <FailureNote error={update.error} />}
        <div className="actions">
          <button type="submit" disabled={update.isPending || isAway}>
            {words.save}
          </button>
          <CopyCurl request={{ method: "PATCH", path: `/v1/test-sinks/${id}`, body }} />
        </div>
        <p className="dim" aria-live="polite">
          {update.isSuccess && words.saved}
        </p>
      </form>
    </Card>
  );
}

function Remove({ sink: { id, url, received } }: { sink: TestSink }) {
  const clear = useClearSink(id);
  const remove = useDeleteSink(id);
  const navigate = useNavigate();
  const isAway = useAwaySince() !== null;
  const error = clear.error ?? remove.error;
  return (
    <Card title={words.tidy}>
      <div className="simulator">
        <div className="actions">
          <button type="button" disabled={clear.isPending || isAway} onClick={() => clear.mutate(received)}>
            {words.clear}
          </button>
          <CopyCurl request={{ method: "DELETE", path: `/v1/test-sinks/${id}/requests` }} />
        </div>
        <div className="actions">
          <button
            type="button"
            className="bad"
            disabled={remove.isPending || isAway}
            onClick={() => remove.mutate(url, { onSuccess: () => void navigate({ to: "/webhooks/sinks" }) })}
          >
            {words.remove}
          </button>
          <CopyCurl request={{ method: "DELETE", path: `/v1/test-sinks/${id}` }} />
        </div>
        {error !== null && <FailureNote error={error} />}
      </div>
    </Card>
  );
}
