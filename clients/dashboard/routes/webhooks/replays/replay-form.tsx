import { useState } from "react";
import type { ReplayableStatus, WebhookReplayCreate } from "../../../../typescript/types.gen.ts";
import { useEndpoints } from "../../../api/developers/endpoints.ts";
import { useAwaySince } from "../../../api/client/live.ts";
import { faultsOf } from "../../../api/client/problem.ts";
import { useReplay } from "../../../api/developers/webhooks.ts";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { FailureNote } from "../../../parts/page/failure.tsx";
import { instantOf } from "../../../parts/form/day.ts";
import { ChoiceField, TextField } from "../../../parts/form/field.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { webhookTexts } from "../../../texts/webhooks.ts";

const { form: words } = webhookTexts.replays;

type Ended = "Both" | ReplayableStatus;
const ended = ["DeadLettered", "Delivered", "Both"] as const;
const dayMs = 86_400_000;

interface Draft {
  readonly since: string;
  readonly until: string;
  readonly endpointId: string;
  readonly ended: Ended;
}

/** Counts first, so that nobody sends a million events by mistake. */
export function ReplayForm({ isBusy }: { isBusy: boolean }) {
  const { data: endpoints = [] } = useEndpoints();
  const isAway = useAwaySince() !== null;
  const count = useReplay("count-replay");
  const replay = useReplay("replay");
  const [draft, setDraft] = useState(lastDay);
  const body = bodyOf(draft);
  const change = (part: Partial<Draft>) => {
    count.reset();
    if (!replay.isPending) replay.reset();
    setDraft({ ...draft, ...part });
  };
  const error = replay.error ?? count.error;
  const faultAt = faultsOf(error);
  const matched = count.data?.matched;
  const isHeld = body === undefined || isAway || count.isPending || replay.isPending;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (body !== undefined) count.mutate({ ...body, dryRun: true });
      }}
    >
      <TextField
        label={words.since}
        fault={faultAt("/since")}
        type="datetime-local"
        required
        value={draft.since}
        change={(since) => change({ since })}
      />
      <TextField
        label={words.until}
        fault={faultAt("/until")}
        type="datetime-local"
        required
        value={draft.until}
        change={(until) => change({ until })}
      />
      <ChoiceField
        label={words.endpoint}
        options={[["", words.every], ...endpoints.map(({ id, url }) => [id, visible(url)] as const)]}
        value={draft.endpointId}
        change={(endpointId) => change({ endpointId })}
      />
      <ChoiceField
        label={words.status}
        options={ended.map((one) => [one, words.ended[one]] as const)}
        value={draft.ended}
        change={(one) => change({ ended: one })}
      />
      {error !== null && <FailureNote error={error} />}
      <p aria-live="polite">
        {matched !== undefined && words.matched(matched)}
        {replay.isSuccess && ` ${words.started}`}
      </p>
      <div className="actions">
        <button type="submit" disabled={isHeld}>
          {words.count}
        </button>
        {matched !== undefined && matched > 0 && !replay.isSuccess && (
          <button
            type="button"
            className="primary"
            disabled={isHeld || isBusy}
            onClick={() => body !== undefined && replay.mutate(body)}
          >
            {words.submit(matched)}
          </button>
        )}
        {body !== undefined && <CopyCurl request={{ method: "POST", path: "/v1/webhooks/replay", body }} />}
      </div>
      {isBusy && <p className="dim">{words.busy}</p>}
    </form>
  );
}

function lastDay(): Draft {
  const now = Date.now();
  return {
    since: localTime(now - dayMs),
    until: localTime(now + 60_000),
    endpointId: "",
    ended: "DeadLettered",
  };
}

function bodyOf({ endpointId, ended: one, ...period }: Draft): WebhookReplayCreate | undefined {
  const [since, until] = [instantOf(period.since), instantOf(period.until)];
  if (since === undefined || until === undefined) return undefined;
  return {
    since,
    until,
    ...(endpointId === "" ? {} : { endpointId }),
    ...(one === "Both" ? {} : { status: [one] }),
  };
}

/** A time as an input of the reader's zone takes it, to the minute. */
function localTime(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
