import { getRouteApi, Link } from "@tanstack/react-router";
import { Send } from "lucide-react";
import type { WebhookDelivery } from "../../../../typescript/types.gen.ts";
import { useEndpoint } from "../../../api/developers/endpoints.ts";
import { useAwaySince } from "../../../api/client/live.ts";
import { useMay } from "../../../api/people/me.ts";
import { problemOf } from "../../../api/client/problem.ts";
import { hasRested, useDelivery, useEvent, useRetry } from "../../../api/developers/webhooks.ts";
import { Card, Details } from "../../../parts/page/card.tsx";
import { Code } from "../../../parts/values/code.tsx";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { Failure, FailureNote, Loading } from "../../../parts/page/failure.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { ObjectLink } from "../../../parts/page/object-link.tsx";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { webhookTexts } from "../../../texts/webhooks.ts";
import { Attempts } from "./attempts.tsx";
import { Crumb } from "../crumb.tsx";
import { DeliveryStatus } from "./delivery-status.tsx";

const { delivery: words, columns } = webhookTexts;
const route = getRouteApi("/shell/webhooks/$id");

/** What did the receiver answer, and what was it sent? */
export function Delivery() {
  const { id } = route.useParams();
  const { data, error, refetch } = useDelivery(id);
  return (
    <div className="body">
      <PageTitle text={data?.eventType ?? words.title} crumb={<Crumb to="/webhooks" />} />
      {data === undefined && (error === null ? <Loading /> : <Failure error={error} retry={refetch} />)}
      {data !== undefined && <Shown delivery={data} />}
    </div>
  );
}

function Shown({ delivery }: { delivery: WebhookDelivery }) {
  const { id, eventId, endpointId, status, attempts, attemptCount, nextAttemptAt, createdAt } = delivery;
  const { data: event, error, refetch } = useEvent(eventId);
  const isGone = error !== null && problemOf(error).status === 404;
  return (
    <div className="order-columns">
      <div className="column">
        <Card title={words.attempts} aside={words.count(attemptCount)}>
          <Attempts attempts={attempts} />
        </Card>
        <Card title={words.sent} aside={words.sentAside}>
          {event !== undefined && (
            <div className="code-card">
              <Code label={words.sent} text={JSON.stringify(event, null, 2)} />
            </div>
          )}
          {isGone && <p className="note first">{words.eventGone}</p>}
          {event === undefined && error === null && <Loading lines={4} />}
          {event === undefined && error !== null && !isGone && <Failure error={error} retry={refetch} />}
        </Card>
      </div>
      <div className="column">
        <Card title={words.details} aside={<DeliveryStatus status={status} />}>
          <Details
            rows={[
              [columns.endpoint, <EndpointLink key="endpoint" id={endpointId} />],
              [words.about, event === undefined ? null : <ObjectLink key="about" id={event.objectId} />],
              [
                words.event,
                <Link key="event" className="mono" to="/webhooks/events/$id" params={{ id: eventId }}>
                  {eventId}
                </Link>,
              ],
              [
                words.id,
                <span key="id" className="mono">
                  {id}
                </span>,
              ],
              [columns.made, <Moment key="made" at={createdAt} />],
              [words.next, nextAttemptAt === null ? null : <Moment key="next" at={nextAttemptAt} />],
            ]}
          />
        </Card>
        <Again delivery={delivery} />
      </div>
    </div>
  );
}

function EndpointLink({ id }: { id: string }) {
  const { data } = useEndpoint(id);
  if (data === undefined) return <span className="mono">{id}</span>;
  return (
    <Link to="/webhooks/endpoints/$id" params={{ id }}>
      {visible(data.url)}
    </Link>
  );
}

/** Sends the same event id and bytes once more. */
function Again({ delivery }: { delivery: WebhookDelivery }) {
  const { id, attemptCount, status } = delivery;
  const retry = useRetry(id);
  const mayWrite = useMay("webhooks:write");
  const isAway = useAwaySince() !== null;
  if (!mayWrite || status === "Cancelled") return null;
  return (
    <Card title={words.again}>
      <div className="simulator">
        <p className="dim">{words.againText}</p>
        {retry.isError && <FailureNote error={retry.error} />}
        <div className="actions">
          <button
            type="button"
            className="primary"
            disabled={retry.isPending || isAway || !hasRested(delivery)}
            onClick={() => retry.mutate(attemptCount)}
          >
            <Send aria-hidden />
            {words.retry}
          </button>
          <CopyCurl request={{ method: "POST", path: `/v1/webhooks/${id}/retry` }} />
        </div>
        <p className="dim" aria-live="polite">
          {retry.isPending || !hasRested(delivery)
            ? words.sending
            : retry.isSuccess
              ? words.became[status]
              : ""}
        </p>
      </div>
    </Card>
  );
}
