import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { EmptyList, whyEmpty } from "../../parts/page/empty-list.tsx";
import { hasFilter } from "../../parts/page/read-search.ts";
import type { AuditEntry } from "../../../typescript/types.gen.ts";
import { useMay } from "../../api/people/me.ts";
import { useAuditLog } from "../../api/people/people.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { PagedList } from "../../parts/page/paged-list.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { auditTexts as words } from "../../texts/people.ts";
import { EntrySheet } from "./entry-sheet.tsx";
import { FilterBar } from "./filter-bar.tsx";
import type { AuditFilters } from "./filters.ts";
import { actionInWords } from "./in-words.ts";
import { ObjectLink } from "../../parts/page/object-link.tsx";

const route = getRouteApi("/shell/audit-log");

/** Who did what, from where? */
export function AuditLog() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (search: AuditFilters) => void navigate({ search });
  const log = useAuditLog(filters);
  const [opened, setOpened] = useState<AuditEntry>();
  const may = useMay("people:write");
  return (
    <div className="body">
      <PageTitle text={words.title} />
      {may && <FilterBar key={JSON.stringify(filters)} filters={filters} change={change} />}
      <PagedList
        list={log}
        empty={<EmptyList {...whyEmpty(words.empty, hasFilter(filters))} />}
        cursors={filters.pages ?? []}
        turn={(pages) => change({ ...filters, pages })}
      >
        {(entries) => <AuditTable entries={entries} open={setOpened} />}
      </PagedList>
      {opened !== undefined && <EntrySheet entry={opened} close={() => setOpened(undefined)} />}
    </div>
  );
}

interface AuditTableProps {
  readonly entries: readonly AuditEntry[];
  readonly open: (entry: AuditEntry) => void;
}

function AuditTable({ entries, open }: AuditTableProps) {
  const { columns } = words;
  return (
    <div className="card">
      <table className="list audit">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.action}</th>
            <th scope="col">{columns.actor}</th>
            <th scope="col" className="wide">
              {columns.object}
            </th>
            <th scope="col" className="wide">
              {columns.address}
            </th>
            <th scope="col">{columns.at}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id} className="link">
              <td>
                <button type="button" className="row-open" onClick={() => open(entry)}>
                  {actionInWords(entry)}
                </button>
              </td>
              <td className="name">{visible(entry.actor)}</td>
              <td className="wide name">{entry.objectId !== null && <ObjectLink id={entry.objectId} />}</td>
              <td className="wide">{entry.address}</td>
              <td>
                <Moment at={entry.at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
