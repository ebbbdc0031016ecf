import { Link, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import type { WebhookEndpoint, WebhookEndpointCreated } from "../../../../typescript/types.gen.ts";
import { useCreateEndpoint, useDayOfEndpoints, useEndpoints } from "../../../api/developers/endpoints.ts";
import { useMay } from "../../../api/people/me.ts";
import { Chip } from "../../../parts/values/chip.tsx";
import { EmptyList } from "../../../parts/page/empty-list.tsx";
import { Failure, Loading } from "../../../parts/page/failure.tsx";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { webhookTexts } from "../../../texts/webhooks.ts";
import { draftOf, emptyDraft } from "./endpoint-draft.ts";
import { EndpointForm } from "./endpoint-form.tsx";
import { SecretSheet } from "./secret-sheet.tsx";
import { Tabs } from "../tabs.tsx";

const { endpoints: words } = webhookTexts;

/** Which endpoint receives what, and did it arrive today? */
export function Endpoints() {
  const { data, isError, error, refetch } = useEndpoints();
  const mayWrite = useMay("webhooks:write");
  const [isCreating, setCreating] = useState(false);
  return (
    <div className="body">
      <PageTitle text={webhookTexts.title} />
      <div className="bar">
        <Tabs />
        {mayWrite && (
          <button type="button" className="primary push" onClick={() => setCreating(true)}>
            <Plus aria-hidden /> {words.create}
          </button>
        )}
      </div>
      {data === undefined && (isError ? <Failure error={error} retry={refetch} /> : <Loading />)}
      {data !== undefined && data.length === 0 && <EmptyList title={words.empty} text={words.emptyText} />}
      {data !== undefined && data.length > 0 && <EndpointTable endpoints={data} />}
      {isCreating && <CreateEndpoint close={() => setCreating(false)} />}
    </div>
  );
}

function EndpointTable({ endpoints }: { endpoints: readonly WebhookEndpoint[] }) {
  const { columns } = words;
  const [today] = useState(() => new Date().toISOString().slice(0, 10));
  const { data: lines } = useDayOfEndpoints(today);
  return (
    <div className="card">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.url}</th>
            <th scope="col" className="wide">
              {columns.events}
            </th>
            <th scope="col" className="right wide">
              {columns.delivered}
            </th>
            <th scope="col" className="right wide">
              {columns.pending}
            </th>
            <th scope="col" className="right">
              {columns.dead}
            </th>
            <th scope="col">{columns.status}</th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map(({ id, url, description, eventTypes, status }) => {
            const line = lines?.get(id);
            const dead = line?.dead ?? 0;
            return (
              <tr key={id} className="link">
                <td>
                  <Link className="row-link" to="/webhooks/endpoints/$id" params={{ id }}>
                    {visible(url)}
                  </Link>
                  {description !== null && <small>{visible(description)}</small>}
                </td>
                <td className="wide">
                  {eventTypes.includes("*") ? words.everyType : words.types(eventTypes.length)}
                </td>
                <td className="right num wide">{line?.delivered ?? 0}</td>
                <td className="right num wide">{line?.pending ?? 0}</td>
                <td className="right num">{dead > 0 ? <Chip tone="bad">{dead}</Chip> : 0}</td>
                <td>
                  <EndpointStatus endpoint={{ status }} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

export function EndpointStatus({ endpoint: { status } }: { endpoint: Pick<WebhookEndpoint, "status"> }) {
  return <Chip tone={status === "Enabled" ? "ok" : "plain"}>{words.statuses[status]}</Chip>;
}

function CreateEndpoint({ close }: { close: () => void }) {
  const create = useCreateEndpoint();
  const navigate = useNavigate();
  const [created, setCreated] = useState<WebhookEndpointCreated>();
  if (created !== undefined) {
    const { id, signingSecret } = created;
    return (
      <SecretSheet
        secret={signingSecret}
        close={() => void navigate({ to: "/webhooks/endpoints/$id", params: { id } })}
      />
    );
  }
  return (
    <EndpointForm
      title={words.createTitle}
      submit={words.create}
      initial={emptyDraft()}
      isAsking={create.isPending}
      error={create.error}
      send={(draft) => create.mutate(draftOf(draft), { onSuccess: setCreated })}
      close={close}
    />
  );
}
