import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import type { AuditEntry } from "../../typescript/types.gen.ts";
import { useMay } from "../api/me.ts";
import { useAuditLog } from "../api/people.ts";
import { Failure, Loading } from "../parts/failure.tsx";
import { Moment } from "../parts/moment.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Pages } from "../parts/pages.tsx";
import { visible } from "../parts/visible-text.ts";
import { texts } from "../texts/texts.ts";
import { EntrySheet } from "./audit-log/entry-sheet.tsx";
import { FilterBar } from "./audit-log/filter-bar.tsx";
import { type AuditFilters, isFiltered } from "./audit-log/filters.ts";
import { actionInWords } from "./audit-log/in-words.ts";

const { audit: words } = texts;
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
      {log.isError && log.data === undefined && <Failure error={log.error} retry={log.refetch} />}
      {log.isPending && <Loading lines={12} />}
      {log.data !== undefined && (
        <>
          {log.data.data.length === 0 ? (
            <div className="card empty">
              <b>{isFiltered(filters) ? words.empty.filtered : words.empty.title}</b>
              <p>{isFiltered(filters) ? words.empty.filteredText : words.empty.text}</p>
            </div>
          ) : (
            <AuditTable entries={log.data.data} open={setOpened} />
          )}
          <Pages
            before={filters.pages ?? []}
            next={log.data.nextCursor}
            turn={(pages) => change({ ...filters, pages })}
          />
        </>
      )}
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
                  {actionInWords(entry.action)}
                </button>
              </td>
              <td className="name">{visible(entry.actor)}</td>
              <td className="wide name">
                <span className="mono">{visible(entry.objectId ?? "")}</span>
              </td>
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
