import { getRouteApi, Link } from "@tanstack/react-router";
import type { SimulationLogEntry } from "../../../typescript/types.gen.ts";
import { useSimulationLog } from "../../api/orders/simulator.ts";
import { inWords } from "../../parts/values/in-words.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { EmptyList } from "../../parts/page/empty-list.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { PagedList } from "../../parts/page/paged-list.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { simulatorTexts } from "../../texts/simulator.ts";
import { Tabs } from "./tabs.tsx";

const { log: words } = simulatorTexts;
const route = getRouteApi("/shell/sandbox/simulator/log");

/** What was done to the simulation, by whom and when. */
export function Log() {
  const { pages = [] } = route.useSearch();
  const navigate = route.useNavigate();
  const log = useSimulationLog(pages);
  return (
    <div className="body">
      <PageTitle text={simulatorTexts.title} />
      <Tabs />
      <PagedList
        list={log}
        lines={10}
        empty={<EmptyList title={words.empty} text={words.emptyText} />}
        cursors={pages}
        turn={(next) => void navigate({ search: { pages: next } })}
      >
        {(entries) => <LogTable entries={entries} />}
      </PagedList>
    </div>
  );
}

function LogTable({ entries }: { entries: readonly SimulationLogEntry[] }) {
  const { columns } = words;
  return (
    <div className="card">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.what}</th>
            <th scope="col" className="wide">
              {columns.details}
            </th>
            <th scope="col">{columns.by}</th>
            <th scope="col" className="wide">
              {columns.bookTime}
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry, index) => (
            <LogRow key={`${entry.at} ${String(index)}`} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function LogRow({
  entry: { kind, at, bookTime, by, paymentOrderId, details },
}: {
  entry: SimulationLogEntry;
}) {
  const pairs = Object.entries(details).flatMap(([name, value]) =>
    value === null ? [] : [`${inWords(name).toLowerCase()} ${visible(String(value))}`],
  );
  return (
    <tr>
      <td>
        <b>{words.kinds[kind]}</b>
        {paymentOrderId !== null && (
          <small>
            <Link className="mono" to="/orders/$id" params={{ id: paymentOrderId }}>
              {paymentOrderId}
            </Link>
          </small>
        )}
      </td>
      <td className="wide name">
        <small>{pairs.join(" · ")}</small>
      </td>
      <td>
        {by === null ? words.rail : visible(by)}
        <small>
          <Moment at={at} />
        </small>
      </td>
      <td className="wide">
        <Moment at={bookTime} />
      </td>
    </tr>
  );
}
