import type { WebhookReplay } from "../../../../typescript/types.gen.ts";
import { useEndpoints } from "../../../api/developers/endpoints.ts";
import { useAwaySince } from "../../../api/client/live.ts";
import { useMay } from "../../../api/people/me.ts";
import { isRunning, useCancelReplay, useReplays } from "../../../api/developers/webhooks.ts";
import { EmptyList } from "../../../parts/page/empty-list.tsx";
import { Card } from "../../../parts/page/card.tsx";
import { Chip, type Tone } from "../../../parts/values/chip.tsx";
import { Failure, FailureNote, Loading } from "../../../parts/page/failure.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { webhookTexts } from "../../../texts/webhooks.ts";
import { ReplayForm } from "./replay-form.tsx";
import { Tabs } from "../tabs.tsx";

const { replays: words } = webhookTexts;

/** Sends the deliveries of a period again, and shows how far that is. */
export function Replays() {
  const { data, isError, error, refetch } = useReplays();
  const mayWrite = useMay("webhooks:write");
  return (
    <div className="body">
      <PageTitle text={webhookTexts.title} />
      <Tabs />
      <div className="order-columns">
        <div className="column">
          {data === undefined && (isError ? <Failure error={error} retry={refetch} /> : <Loading />)}
          {data !== undefined && data.length === 0 && (
            <EmptyList title={words.empty} text={words.emptyText} />
          )}
          {data !== undefined && data.length > 0 && <ReplayTable replays={data} mayWrite={mayWrite} />}
        </div>
        {mayWrite && (
          <Card title={words.form.title}>
            <ReplayForm isBusy={data?.some(isRunning) ?? false} />
          </Card>
        )}
      </div>
    </div>
  );
}

const tones: Record<WebhookReplay["status"], Tone> = {
  Counted: "info",
  Running: "info",
  Done: "ok",
  Cancelled: "plain",
};

function ReplayTable({ replays, mayWrite }: { replays: readonly WebhookReplay[]; mayWrite: boolean }) {
  const { columns } = words;
  const cancel = useCancelReplay();
  const isAway = useAwaySince() !== null;
  const { data: endpoints = [] } = useEndpoints();
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  return (
    <div className="card">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.period}</th>
            <th scope="col" className="wide">
              {columns.what}
            </th>
            <th scope="col" className="right">
              {columns.queued}
            </th>
            <th scope="col">{columns.status}</th>
          </tr>
        </thead>
        <tbody aria-live="polite">
          {replays.map((replay) => {
            const { id, since, until, endpointId, statuses, queued, matched, status } = replay;
            const url =
              endpointId === null ? words.every : (urls.get(endpointId) ?? webhookTexts.deletedEndpoint);
            return (
              <tr key={id}>
                <td>
                  <Moment at={since} />
                  <small>
                    {words.until} <Moment at={until} />
                  </small>
                </td>
                <td className="wide name">
                  {visible(url)}
                  <small>{statuses.map((one) => webhookTexts.statuses[one]).join(", ")}</small>
                </td>
                <td className="right num">{words.of(queued, matched)}</td>
                <td>
                  <Chip tone={tones[status]}>{words.statuses[status]}</Chip>{" "}
                  {mayWrite && isRunning(replay) && id !== null && (
                    <button
                      type="button"
                      disabled={cancel.isPending || isAway}
                      onClick={() => cancel.mutate(id)}
                    >
                      {words.cancel}
                    </button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {cancel.isError && <FailureNote error={cancel.error} />}
    </div>
  );
}
