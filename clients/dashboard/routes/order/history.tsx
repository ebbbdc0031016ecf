import { Link } from "@tanstack/react-router";
import type {
  PaymentOrder,
  PaymentOrderTimeline,
  TimelineEntry,
  WebhookDeliveryStatus,
} from "../../../typescript/types.gen.ts";
import { useTimeline } from "../../api/orders/order.ts";
import { Card } from "../../parts/page/card.tsx";
import { Chip } from "../../parts/values/chip.tsx";
import { FailureNote, Loading } from "../../parts/page/failure.tsx";
import { inWords } from "../../parts/values/in-words.ts";
import { durationInWords, isSameDay, Moment } from "../../parts/values/moment.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { orderPageTexts } from "../../texts/order.ts";
import { failureTexts } from "../../texts/shell.ts";
import { DeliveryStatus } from "../webhooks/deliveries/delivery-status.tsx";
import { type Happening, happeningsOf } from "./happenings.ts";

const { history: words } = orderPageTexts;
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
            {failureTexts.tryAgain}
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
  const happenings = happeningsOf(data);
  const took = Date.parse(data.at(-1)?.at ?? "") - Date.parse(data[0]?.at ?? "");
  return (
    <Card title={words.title} {...(Number.isNaN(took) ? {} : { aside: words.took(durationInWords(took)) })}>
      {unavailable.length > 0 && (
        <output className="inset notice">
          {words.away(unavailable.map((source) => words.owners[source]).join(", "))}
        </output>
      )}
      <ol className="timeline">
        {happenings.map((happening, index) => (
          <Line
            key={keyOf(happening.entry)}
            {...happening}
            isNewDay={isNewDay(happening, happenings[index - 1])}
          />
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

/** The first line of each day also shows the day. */
function Line({ entry, deliveries, isNewDay }: Happening & { readonly isNewDay: boolean }) {
  const remark = remarkOf(entry);
  const notCounted = notCountedOf(entry);
  const title = titleOf(entry, deliveries.length);
  return (
    <li className={isUnhappy(entry) ? "bad" : ""}>
      <span className="when">
        {isNewDay && <Moment at={entry.at} as="day" />}
        <Moment at={entry.at} as="milliseconds" />
      </span>
      <span className="dot" />
      <div>
        <b>{notCounted === undefined ? title : <s>{title}</s>}</b> <Chip>{words.sources[entry.source]}</Chip>
        {remark !== "" && <small>{remark}</small>}
        {notCounted !== undefined && <small>{notCounted}</small>}
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

const isNewDay = ({ entry }: Happening, before: Happening | undefined) =>
  before === undefined || !isSameDay(entry.at, before.entry.at);

const keyOf = ({ at, kind, status, sequence, actor, webhookId, reference }: TimelineEntry) =>
  [at, kind, status, sequence, actor, webhookId, reference].join(" ");

const isUnhappy = (entry: TimelineEntry) => {
  const { kind, status } = entry;
  if (notCountedOf(entry) !== undefined) return true;
  return kind === "StatusChanged" ? unhappyStatuses.has(status ?? "") : unhappyKinds.has(kind);
};

/** Why an approval does not count; undefined for one that counts, and for every other entry. */
function notCountedOf({ kind, reason }: TimelineEntry): string | undefined {
  if (kind !== "ApprovalGiven" || reason === null) return undefined;
  const known: Readonly<Record<string, string>> = approvalTexts.notCounted;
  return known[reason] ?? inWords(visible(reason));
}

function titleOf({ kind, status, code, sequence, eventType }: TimelineEntry, endpoints: number): string {
  if (kind === "StatusChanged") return status ?? words.kinds.StatusChanged;
  if (kind === "WebhookQueued") return words.event(eventType ?? "", endpoints);
  const journal = sequence === null ? "" : `, ${words.journal(sequence)}`;
  return `${words.kinds[kind]}${code === null ? "" : ` ${code}`}${journal}`;
}

/** Who, why, and the bank's reference. `notCountedOf` says why an approval does not count. */
function remarkOf({ kind, actor, reason, reference }: TimelineEntry): string {
  const why =
    reason === null || kind === "ApprovalGiven"
      ? null
      : /\s/.test(reason)
        ? visible(reason)
        : inWords(visible(reason));
  return [
    actor === null ? null : words.by(visible(actor)),
    why,
    reference === null ? null : words.reference(visible(reference)),
  ]
    .filter((text) => text !== null)
    .join(" · ");
}
