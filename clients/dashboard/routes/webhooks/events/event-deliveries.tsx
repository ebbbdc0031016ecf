import { Link } from "@tanstack/react-router";
import type { WebhookDelivery } from "../../../../typescript/types.gen.ts";
import { useAwaySince } from "../../../api/client/live.ts";
import { useEndpoints } from "../../../api/developers/endpoints.ts";
import { hasRested, useDeliveriesOf, useRetry } from "../../../api/developers/webhooks.ts";
import { useMay } from "../../../api/people/me.ts";
import { Card } from "../../../parts/page/card.tsx";
import { Failure, FailureNote, Loading } from "../../../parts/page/failure.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { eventTexts as words } from "../../../texts/webhook-events.ts";
import { webhookTexts as webhooks } from "../../../texts/webhooks.ts";
import { resultInWords } from "../deliveries/attempts.tsx";
import { DeliveryStatus } from "../deliveries/delivery-status.tsx";

/** Which endpoint got the event, and what it answered. Each can be sent the event once more. */
export function EventDeliveries({ eventId }: { eventId: string }) {
  const { data, isError, error, refetch } = useDeliveriesOf(eventId);
  const { data: endpoints = [] } = useEndpoints();
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  return (
    <Card title={webhooks.tabs.deliveries} aside={words.toEndpoints}>
      {data === undefined && (isError ? <Failure error={error} retry={refetch} /> : <Loading lines={3} />)}
      {data?.length === 0 && (
        <p className="note first">
          {words.noDelivery} <Link to="/webhooks/replays">{webhooks.tabs.replays}</Link>
        </p>
      )}
      {data !== undefined && data.length > 0 && (
        <table className="list">
          <caption className="hidden-visually">{words.deliveries}</caption>
          <thead>
            <tr>
              <th scope="col">{webhooks.columns.endpoint}</th>
              <th scope="col">{webhooks.columns.status}</th>
            </tr>
          </thead>
          <tbody aria-live="polite">
            {data.map((delivery) => (
              <DeliveryRow
                key={delivery.id}
                delivery={delivery}
                url={urls.get(delivery.endpointId) ?? webhooks.deletedEndpoint}
              />
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function DeliveryRow({ delivery, url }: { delivery: WebhookDelivery; url: string }) {
  const { id, status, attempts, attemptCount } = delivery;
  const last = attempts.at(-1);
  const retry = useRetry(id);
  const mayWrite = useMay("webhooks:write");
  const isAway = useAwaySince() !== null;
  return (
    <tr>
      <td>
        <Link to="/webhooks/$id" params={{ id }}>
          {visible(url)}
        </Link>
        {retry.isError && <FailureNote error={retry.error} />}
      </td>
      <td className="num">
        <DeliveryStatus status={status} />
        <small>
          {last === undefined ? webhooks.notTried : resultInWords(last)}
          {attemptCount > 1 && ` · ${webhooks.attempts(attemptCount)}`}
        </small>
        {mayWrite && status !== "Cancelled" && (
          <span className="row-actions">
            <button
              type="button"
              aria-label={words.againTo(visible(url))}
              disabled={retry.isPending || isAway || !hasRested(delivery)}
              onClick={() => retry.mutate(attemptCount)}
            >
              {words.again}
            </button>
          </span>
        )}
      </td>
    </tr>
  );
}
