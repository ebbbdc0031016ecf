import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { approveApiKeyProposal, denyApiKeyProposal } from "../../typescript/sdk.gen.ts";
import type { ApiKey } from "../../typescript/types.gen.ts";
import { useApiKeys } from "../api/api-keys.ts";
import { bodyOf } from "../api/call.ts";
import { useMay } from "../api/me.ts";
import { useProposals } from "../api/proposals.ts";
import { Failure, Loading } from "../parts/failure.tsx";
import { Moment } from "../parts/moment.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Pages } from "../parts/pages.tsx";
import { visible } from "../parts/visible-text.ts";
import { Proposals } from "../shell/proposals.tsx";
import { texts } from "../texts/texts.ts";
import { CreateKey } from "./api-keys/create-key.tsx";
import type { KeyFilters } from "./api-keys/filters.ts";
import { KeySheet } from "./api-keys/key-sheet.tsx";
import { KeyTable } from "./api-keys/key-table.tsx";

const { apiKeys: words } = texts;
const route = getRouteApi("/shell/api-keys");

/** Who may call the API, and since when is a key unused? */
export function ApiKeys() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (search: KeyFilters) => void navigate({ search });
  const keys = useApiKeys(filters);
  const [opened, setOpened] = useState<ApiKey>();
  const [isCreating, setCreating] = useState(false);
  const may = useMay("keys:write");
  return (
    <div className="body">
      <PageTitle text={words.title} />
      {may && (
        <div className="bar">
          <div className="filters">
            <Show filters={filters} change={change} />
          </div>
          <button type="button" className="primary push" onClick={() => setCreating(true)}>
            <Plus aria-hidden /> {words.create}
          </button>
        </div>
      )}
      <Waiting />
      {keys.isError && keys.data === undefined && <Failure error={keys.error} retry={keys.refetch} />}
      {keys.isPending && <Loading lines={8} />}
      {keys.data !== undefined && (
        <>
          {keys.data.data.length === 0 ? (
            <Empty isOfEnded={filters.show === "ended"} />
          ) : (
            <KeyTable keys={keys.data.data} open={setOpened} />
          )}
          <Pages
            before={filters.pages ?? []}
            next={keys.data.nextCursor}
            turn={(pages) => change({ ...filters, pages })}
          />
        </>
      )}
      {isCreating && <CreateKey close={() => setCreating(false)} />}
      {opened !== undefined && <KeySheet apiKey={opened} close={() => setOpened(undefined)} />}
    </div>
  );
}

function Show({ filters: { show }, change }: { filters: KeyFilters; change: (next: KeyFilters) => void }) {
  return (
    <select
      aria-label={words.show.label}
      className={show === undefined ? "" : "set"}
      value={show ?? ""}
      onChange={({ target: { value } }) =>
        change(value === "ended" || value === "all" ? { show: value } : {})
      }
    >
      <option value="">{words.show.inUse}</option>
      <option value="ended">{words.show.ended}</option>
      <option value="all">{words.show.all}</option>
    </select>
  );
}

function Empty({ isOfEnded }: { isOfEnded: boolean }) {
  return (
    <div className="card empty">
      <b>{words.empty.title}</b>
      <p>{isOfEnded ? words.empty.ended : words.empty.text}</p>
    </div>
  );
}

function Waiting() {
  const { data } = useProposals();
  const proposals = (data?.apiKeyProposals?.data ?? []).map(
    ({ id, apiKey, reason, proposedBy, proposedAt, mine }) => ({
      id,
      title: words.proposal(visible(apiKey.name), visible(apiKey.principal)),
      text: <Reach apiKey={apiKey} reason={reason} />,
      proposedBy,
      proposedAt,
      mine,
    }),
  );
  return (
    <Proposals
      title={words.proposals}
      proposals={proposals}
      count={data?.apiKeyProposals?.count ?? 0}
      approve={{
        operation: "approveApiKeyProposal",
        send: (path, headers) => bodyOf(approveApiKeyProposal({ path, headers })),
      }}
      deny={{
        operation: "denyApiKeyProposal",
        send: (path, headers) => bodyOf(denyApiKeyProposal({ path, headers })),
      }}
    />
  );
}

/** What an approval would let the key do, from where and for how long. */
function Reach({ apiKey: { scopes, ipAllowlist, expiresAt }, reason }: { apiKey: ApiKey; reason: string }) {
  const { reach, details } = words;
  const from = ipAllowlist.length === 0 ? details.anywhere : reach.from(ipAllowlist.join(", "));
  return (
    <>
      {reason} {reach.mayDo(scopes.map((scope) => words.scopes[scope]).join(", "))} {from}.{" "}
      {expiresAt === null ? (
        reach.endless
      ) : (
        <>
          {reach.ends} <Moment at={expiresAt} as="day" />.
        </>
      )}
    </>
  );
}
