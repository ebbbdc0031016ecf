import { getRouteApi, Link } from "@tanstack/react-router";
import type { StoredEvent } from "../../../../typescript/types.gen.ts";
import { useEvent } from "../../../api/developers/webhooks.ts";
import { Card, Details } from "../../../parts/page/card.tsx";
import { Failure, Loading } from "../../../parts/page/failure.tsx";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { Code } from "../../../parts/values/code.tsx";
import { FoldedJson } from "./folded-json.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { ObjectLink } from "../../../parts/page/object-link.tsx";
import { eventTexts as words } from "../../../texts/webhook-events.ts";
import { Crumb } from "../crumb.tsx";
import { EventDeliveries } from "./event-deliveries.tsx";

const route = getRouteApi("/shell/webhooks/events/$id");

/** What does the event say, and which endpoints got it? */
export function Event() {
  const { id } = route.useParams();
  const { data, error, refetch } = useEvent(id);
  return (
    <div className="body">
      <PageTitle text={data?.type ?? words.title} crumb={<Crumb to="/webhooks/events" />} />
      {data === undefined && (error === null ? <Loading /> : <Failure error={error} retry={refetch} />)}
      {data !== undefined && <Shown event={data} />}
    </div>
  );
}

function Shown({ event }: { event: StoredEvent }) {
  const { id, type, objectId, sequence, created_at: at, data } = event;
  const body = { id, type, created_at: at, data };
  return (
    <div className="order-columns">
      <div className="column">
        <EventDeliveries eventId={id} />
        <Card title={words.body} aside={words.bodyAside}>
          <div className="code-card">
            <FoldedJson value={body} />
            <details className="as-text">
              <summary>{words.asText}</summary>
              <Code label={words.body} text={JSON.stringify(body, null, 2)} />
            </details>
          </div>
        </Card>
      </div>
      <div className="column">
        <Card title={words.title}>
          <Details
            rows={[
              [words.columns.about, <ObjectLink key="about" id={objectId} />],
              [words.sequence, sequence],
              [words.columns.at, <Moment key="at" at={at} />],
              [
                words.id,
                <span key="id" className="mono">
                  {id}
                </span>,
              ],
              [
                words.more,
                <Link key="more" to="/webhooks/events" search={{ objectId }}>
                  {words.ofObject}
                </Link>,
              ],
            ]}
          />
        </Card>
      </div>
    </div>
  );
}
