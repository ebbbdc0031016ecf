import { Link, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useAwaySince } from "../../../api/client/live.ts";
import { useMay } from "../../../api/people/me.ts";
import { useCreateSink, useSinks } from "../../../api/developers/sinks.ts";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { EmptyList } from "../../../parts/page/empty-list.tsx";
import { Failure, FailureNote, Loading } from "../../../parts/page/failure.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { PageTitle } from "../../../parts/page/page-title.tsx";
import { webhookTexts } from "../../../texts/webhooks.ts";
import { answersInWords } from "../deliveries/answers.ts";
import { Tabs } from "../tabs.tsx";

const { sinks: words } = webhookTexts;

/** Receivers inside the sandbox. They record what they receive, and answer as configured. */
export function Sinks() {
  const { data, isError, error, refetch } = useSinks();
  const mayWrite = useMay("webhooks:write");
  const create = useCreateSink();
  const navigate = useNavigate();
  const isAway = useAwaySince() !== null;
  const make = () =>
    create.mutate(
      {},
      { onSuccess: ({ id }) => void navigate({ to: "/webhooks/sinks/$id", params: { id } }) },
    );
  return (
    <div className="body">
      <PageTitle text={webhookTexts.title} />
      <div className="bar">
        <Tabs />
        {mayWrite && (
          <div className="actions push">
            <button type="button" className="primary" disabled={create.isPending || isAway} onClick={make}>
              <Plus aria-hidden /> {words.create}
            </button>
            <CopyCurl request={{ method: "POST", path: "/v1/test-sinks", body: {} }} />
          </div>
        )}
      </div>
      {create.isError && <FailureNote error={create.error} />}
      {data === undefined && (isError ? <Failure error={error} retry={refetch} /> : <Loading />)}
      {data !== undefined && data.length === 0 && <EmptyList title={words.empty} text={words.emptyText} />}
      {data !== undefined && data.length > 0 && (
        <div className="card">
          <table className="list">
            <caption className="hidden-visually">{words.table}</caption>
            <thead>
              <tr>
                <th scope="col">{words.columns.sink}</th>
                <th scope="col" className="wide">
                  {words.columns.answers}
                </th>
                <th scope="col" className="right">
                  {words.columns.received}
                </th>
                <th scope="col" className="wide">
                  {words.columns.made}
                </th>
              </tr>
            </thead>
            <tbody>
              {data.map(({ id, script, received, createdAt }) => (
                <tr key={id} className="link">
                  <td>
                    <Link className="row-link mono" to="/webhooks/sinks/$id" params={{ id }}>
                      {id}
                    </Link>
                  </td>
                  <td className="wide">{answersInWords(script)}</td>
                  <td className="right num">{received}</td>
                  <td className="wide">
                    <Moment at={createdAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
