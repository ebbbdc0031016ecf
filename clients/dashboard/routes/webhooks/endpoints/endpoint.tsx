import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import type { WebhookEndpoint } from "../../../../typescript/types.gen.ts";
import { useEndpoint, usePauseEndpoint, useUpdateEndpoint } from "../../../api/developers/endpoints.ts";
import { useAwaySince } from "../../../api/client/live.ts";
import { useMay } from "../../../api/people/me.ts";
import { Card, Details } from "../../../parts/page/card.tsx";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { Failure, Loading } from "../../../parts/page/failure.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { ConfirmFailure } from "../../../shell/confirm-failure.tsx";
import { webhookTexts } from "../../../texts/webhooks.ts";
import { CheckSignature } from "../signature/check-signature.tsx";
import { Crumb } from "../crumb.tsx";
import { DeleteEndpoint } from "./delete-endpoint.tsx";
import { changesOf, draftFrom, pausesInWords } from "./endpoint-draft.ts";
import { EndpointForm } from "./endpoint-form.tsx";
import { SigningSecret } from "./signing-secret.tsx";
import { EndpointStatus } from "./endpoints.tsx";
import { TestEndpoint } from "./test-endpoint.tsx";

const { endpoint: words, endpointForm, eventTypes: typeWords } = webhookTexts;
const route = getRouteApi("/shell/webhooks/endpoints/$id");

/** What does this endpoint receive, and does it answer? */
export function Endpoint() {
  const { id } = route.useParams();
  const { data, error, refetch } = useEndpoint(id);
  return (
    <div className="body">
      <PageTitle text={words.title} crumb={<Crumb to="/webhooks/endpoints" />} />
      {data === undefined && (error === null ? <Loading /> : <Failure error={error} retry={refetch} />)}
      {data !== undefined && <Shown endpoint={data} />}
    </div>
  );
}

function Shown({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { id, url, description, eventTypes, createdAt } = endpoint;
  const mayWrite = useMay("webhooks:write");
  return (
    <>
      <div className="endpoint-head">
        <p className="endpoint-url">{visible(url)}</p>
        <EndpointStatus endpoint={endpoint} />
      </div>
      <div className="actions">
        <Link className="button" to="/webhooks" search={{ endpointId: id }}>
          {words.deliveries}
        </Link>
        {mayWrite && <Actions endpoint={endpoint} />}
      </div>
      {endpoint.status === "Disabled" && <p className="banner warn">{words.disabled}</p>}
      <div className="order-columns">
        <div className="column">
          <Card title={words.events}>
            {eventTypes.includes("*") ? (
              <p className="note first">{endpointForm.everyType}</p>
            ) : (
              <ul className="event-types">
                {eventTypes.map((type) => (
                  <li key={type}>
                    <span className="mono">{type}</span>{" "}
                    {type in typeWords && (
                      <span className="dim">{typeWords[type as keyof typeof typeWords]}</span>
                    )}
                  </li>
                ))}
              </ul>
            )}
          </Card>
          {mayWrite && <TestEndpoint endpoint={endpoint} />}
          <CheckSignature endpointId={id} />
        </div>
        <div className="column">
          <Card title={words.settings}>
            <Details
              rows={[
                [endpointForm.description, description === null ? null : visible(description)],
                [endpointForm.maxAttempts, endpoint.maxAttempts ?? words.defaults.maxAttempts],
                [endpointForm.pauses, pausesInWords(endpoint.backoffSeconds) || words.defaults.pauses],
                [endpointForm.ratePerSecond, endpoint.ratePerSecond ?? words.defaults.ratePerSecond],
                [endpointForm.disableAfterDays, endpoint.disableAfterDays ?? words.defaults.disableAfterDays],
                [words.apiVersion, endpoint.apiVersion],
                [words.created, <Moment key="created" at={createdAt} />],
                [
                  words.id,
                  <span key="id" className="mono">
                    {id}
                  </span>,
                ],
              ]}
            />
          </Card>
          {mayWrite && <SigningSecret endpointId={id} />}
        </div>
      </div>
    </>
  );
}

function Actions({ endpoint }: { endpoint: WebhookEndpoint }) {
  const [sheet, setSheet] = useState<"edit" | "delete">();
  /** The values of the endpoint when the form was opened. */
  const [opened, setOpened] = useState(() => draftFrom(endpoint));
  const pause = usePauseEndpoint(endpoint.id);
  const enable = useUpdateEndpoint(endpoint.id);
  const edit = useUpdateEndpoint(endpoint.id);
  const isAway = useAwaySince() !== null;
  const isEnabled = endpoint.status === "Enabled";
  const toggled = { status: isEnabled ? ("Disabled" as const) : ("Enabled" as const) };
  const toggle = () => (isEnabled ? pause.mutate({ status: "Disabled" }) : enable.mutate(toggled));
  const close = () => setSheet(undefined);
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setOpened(draftFrom(endpoint));
          setSheet("edit");
        }}
      >
        {words.edit}
      </button>
      <button type="button" disabled={pause.isPending || enable.isPending || isAway} onClick={toggle}>
        {isEnabled ? words.disable : words.enable}
      </button>
      <CopyCurl
        request={{ method: "PATCH", path: `/v1/webhook-endpoints/${endpoint.id}`, body: toggled }}
        text={isEnabled ? words.disableCurl : words.enableCurl}
      />
      <button type="button" className="bad" onClick={() => setSheet("delete")}>
        {words.remove}
      </button>
      <ConfirmFailure error={isEnabled ? pause.error : enable.error} retry={toggle} />
      {sheet === "edit" && (
        <EndpointForm
          title={words.editTitle}
          submit={words.save}
          initial={opened}
          id={endpoint.id}
          isAsking={edit.isPending}
          error={edit.error}
          send={(draft) => {
            const changes = changesOf(opened, draft);
            if (Object.keys(changes).length === 0) close();
            else edit.mutate(changes, { onSuccess: close });
          }}
          close={close}
        />
      )}
      {sheet === "delete" && <DeleteEndpoint endpoint={endpoint} close={close} />}
    </>
  );
}
