import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import type { WebhookEndpoint } from "../../../typescript/types.gen.ts";
import { useEndpoint, useUpdateEndpoint } from "../../api/endpoints.ts";
import { useAwaySince } from "../../api/live.ts";
import { useMay } from "../../api/me.ts";
import { Card, Details } from "../../parts/card.tsx";
import { Failure, FailureNote, Loading } from "../../parts/failure.tsx";
import { Moment } from "../../parts/moment.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { visible } from "../../parts/visible-text.ts";
import { texts } from "../../texts/texts.ts";
import { Crumb } from "./crumb.tsx";
import { DeleteEndpoint } from "./delete-endpoint.tsx";
import { draftFrom, draftOf } from "./endpoint-draft.ts";
import { EndpointForm } from "./endpoint-form.tsx";
import { SigningSecret } from "./signing-secret.tsx";
import { EndpointStatus } from "./endpoints.tsx";
import { TestEndpoint } from "./test-endpoint.tsx";

const { endpoint: words, endpointForm, eventTypes: typeWords } = texts.webhooks;
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
      <div className="order-head">
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
        </div>
        <div className="column">
          <Card title={words.settings}>
            <Details
              rows={[
                [endpointForm.description, description === null ? null : visible(description)],
                [endpointForm.maxAttempts, endpoint.maxAttempts ?? words.defaults.maxAttempts],
                [
                  endpointForm.backoffSeconds,
                  endpoint.backoffSeconds?.join(", ") ?? words.defaults.backoffSeconds,
                ],
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
  const toggle = useUpdateEndpoint(endpoint.id);
  const edit = useUpdateEndpoint(endpoint.id);
  const isAway = useAwaySince() !== null;
  const isEnabled = endpoint.status === "Enabled";
  const close = () => setSheet(undefined);
  return (
    <>
      <button type="button" onClick={() => setSheet("edit")}>
        {words.edit}
      </button>
      <button
        type="button"
        disabled={toggle.isPending || isAway}
        onClick={() => toggle.mutate({ status: isEnabled ? "Disabled" : "Enabled" })}
      >
        {isEnabled ? words.disable : words.enable}
      </button>
      <button type="button" className="bad" onClick={() => setSheet("delete")}>
        {words.remove}
      </button>
      {toggle.isError && <FailureNote error={toggle.error} />}
      {sheet === "edit" && (
        <EndpointForm
          title={words.editTitle}
          submit={words.save}
          initial={draftFrom(endpoint)}
          isAsking={edit.isPending}
          error={edit.error}
          send={(draft) => edit.mutate(draftOf(draft), { onSuccess: close })}
          close={close}
        />
      )}
      {sheet === "delete" && <DeleteEndpoint endpoint={endpoint} close={close} />}
    </>
  );
}
