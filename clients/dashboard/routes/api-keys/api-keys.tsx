import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { approveApiKeyProposal, denyApiKeyProposal } from "../../../typescript/sdk.gen.ts";
import type { ApiKey } from "../../../typescript/types.gen.ts";
import { useApiKeys } from "../../api/developers/api-keys.ts";
import { bodyOf } from "../../api/client/call.ts";
import { useMay } from "../../api/people/me.ts";
import { useProposals } from "../../api/approvals/proposals.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { EmptyList } from "../../parts/page/empty-list.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { PagedList } from "../../parts/page/paged-list.tsx";
import { changed } from "../../parts/page/read-search.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { Proposals } from "../../shell/proposals.tsx";
import { apiKeyTexts as words } from "../../texts/api-keys.ts";
import { CreateKey } from "./create-key.tsx";
import type { KeyFilters } from "./filters.ts";
import { KeySheet } from "./key-sheet.tsx";
import { KeyTable } from "./key-table.tsx";

const route = getRouteApi("/shell/api-keys");

/** Who may call the API, and since when is a key unused? */
export function ApiKeys() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (by: Partial<KeyFilters>) => void navigate({ search: (now) => changed(now, by) });
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
      <PagedList
        list={keys}
        lines={8}
        empty={
          <EmptyList
            title={words.empty.title}
            text={filters.show === "ended" ? words.empty.ended : words.empty.text}
          />
        }
        cursors={filters.pages ?? []}
        turn={(pages) => change({ pages })}
      >
        {(items) => <KeyTable keys={items} open={setOpened} />}
      </PagedList>
      {isCreating && <CreateKey close={() => setCreating(false)} />}
      {opened !== undefined && <KeySheet apiKey={opened} close={() => setOpened(undefined)} />}
    </div>
  );
}

interface ShowProps {
  readonly filters: KeyFilters;
  readonly change: (by: Partial<KeyFilters>) => void;
}

function Show({ filters: { show }, change }: ShowProps) {
  return (
    <select
      aria-label={words.show.label}
      className={show === undefined ? "" : "set"}
      value={show ?? ""}
      onChange={({ target: { value } }) =>
        change({ show: value === "ended" || value === "all" ? value : undefined })
      }
    >
      <option value="">{words.show.inUse}</option>
      <option value="ended">{words.show.ended}</option>
      <option value="all">{words.show.all}</option>
    </select>
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
      kind="apiKey"
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
