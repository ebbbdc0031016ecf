import { Link } from "@tanstack/react-router";
import type {
  PaymentOrder,
  PaymentOrderTimeline,
  TimelineEntry,
  WebhookDeliveryStatus,
} from "../../../typescript/types.gen.ts";
import { useTimeline } from "../../api/order.ts";
import { Card } from "../../parts/card.tsx";
import { Chip } from "../../parts/chip.tsx";
import { FailureNote, Loading } from "../../parts/failure.tsx";
import { inWords } from "../../parts/in-words.ts";
import { Moment } from "../../parts/moment.tsx";
import { visible } from "../../parts/visible-text.ts";
import { texts } from "../../texts/texts.ts";
import { DeliveryStatus } from "../webhooks/delivery-status.tsx";
import { type Happening, happeningsOf } from "./happenings.ts";

const { history: words } = texts.orderPage;
const unhappyStatuses = new Set(["Failed", "Returned"]);
const unhappyKinds = new Set<TimelineEntry["kind"]>([
  "InstructionFailed",
  "InstructionReturned",
  "UnmatchedReturnReported",
  "SuspensePosted",
]);

/** What every service knows of the order, as one trace. */
export function History({ order }: { order: PaymentOrder }) {
  const { data, isError, error, isFetching, refetch } = useTimeline(order);
  if (data !== undefined) return <Trace timeline={data} />;
  return (
    <Card title={words.title}>
      {isError ? (
        <div className="inset">
          <FailureNote error={error} />
          <button type="button" disabled={isFetching} onClick={() => void refetch()}>
            {texts.failures.tryAgain}
          </button>
        </div>
      ) : (
        <Loading lines={8} />
      )}
    </Card>
  );
}

function Trace({ timeline }: { timeline: PaymentOrderTimeline }) {
  const { data, unavailable, leftOut, truncated } = timeline;
  const took = Date.parse(data.at(-1)?.at ?? "") - Date.parse(data[0]?.at ?? "");
  return (
    <Card title={words.title} {...(Number.isNaN(took) ? {} : { aside: words.took(took) })}>
      {unavailable.length > 0 && (
        <output className="inset notice">
          {words.away(unavailable.map((source) => words.owners[source]).join(", "))}
        </output>
      )}
      <ol className="timeline">
        {happeningsOf(data).map((happening) => (
          <Line key={keyOf(happening.entry)} {...happening} />
        ))}
      </ol>
      {truncated && <p className="inset dim">{words.truncated}</p>}
      {leftOut.length > 0 && (
        <p className="inset dim">
          {words.leftOut(leftOut.map(({ source }) => words.owners[source]).join(", "))}
        </p>
      )}
    </Card>
  );
}

function Line({ entry, deliveries }: Happening) {
  const remark = remarkOf(entry);
  return (
    <li className={isUnhappy(entry) ? "bad" : ""}>
      <Moment at={entry.at} as="milliseconds" />
      <span className="dot" />
      <div>
        <b>{titleOf(entry, deliveries.length)}</b> <Chip>{words.sources[entry.source]}</Chip>
        {remark !== "" && <small>{remark}</small>}
        {deliveries.length > 0 && (
          <span className="deliveries">
            {deliveries.map(({ webhookId, status }) => (
              <Link key={webhookId} to="/webhooks/$id" params={{ id: webhookId ?? "" }}>
                <DeliveryStatus status={status as WebhookDeliveryStatus} />
              </Link>
            ))}
          </span>
        )}
      </div>
    </li>
  );
}

const keyOf = ({ at, kind, status, sequence, actor, webhookId, reference }: TimelineEntry) =>
  [at, kind, status, sequence, actor, webhookId, reference].join(" ");

const isUnhappy = ({ kind, status }: TimelineEntry) =>
  kind === "StatusChanged" ? unhappyStatuses.has(status ?? "") : unhappyKinds.has(kind);

function titleOf({ kind, status, code, sequence, eventType }: TimelineEntry, endpoints: number): string {
  if (kind === "StatusChanged") return status ?? words.kinds.StatusChanged;
  if (kind === "WebhookQueued") return words.event(eventType ?? "", endpoints);
  const journal = sequence === null ? "" : `, ${words.journal(sequence)}`;
  return `${words.kinds[kind]}${code === null ? "" : ` ${code}`}${journal}`;
}

/** Who, why, and the bank's reference. */
function remarkOf({ actor, reason, reference }: TimelineEntry): string {
  const why = reason === null ? null : /\s/.test(reason) ? visible(reason) : inWords(visible(reason));
  return [
    actor === null ? null : words.by(visible(actor)),
    why,
    reference === null ? null : words.reference(visible(reference)),
  ]
    .filter((text) => text !== null)
    .join(" · ");
}
