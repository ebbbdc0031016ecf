import { getRouteApi, Link } from "@tanstack/react-router";
import type { SimulationLogEntry } from "../../../typescript/types.gen.ts";
import { useSimulationLog } from "../../api/simulator.ts";
import { Failure, Loading } from "../../parts/failure.tsx";
import { inWords } from "../../parts/in-words.ts";
import { Moment } from "../../parts/moment.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { Pages } from "../../parts/pages.tsx";
import { visible } from "../../parts/visible-text.ts";
import { texts } from "../../texts/texts.ts";
import { Tabs } from "./tabs.tsx";

const { log: words } = texts.simulator;
const route = getRouteApi("/shell/sandbox/simulator/log");

/** What was done to the simulation, by whom and when. */
export function Log() {
  const { pages = [] } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, isError, isPending, error, refetch } = useSimulationLog(pages);
  return (
    <div className="body">
      <PageTitle text={texts.simulator.title} />
      <Tabs />
      {isError && <Failure error={error} retry={refetch} />}
      {isPending && <Loading lines={10} />}
      {data !== undefined && data.data.length === 0 && (
        <div className="card empty">
          <b>{words.empty}</b>
          <p>{words.emptyText}</p>
        </div>
      )}
      {data !== undefined && data.data.length > 0 && <LogTable entries={data.data} />}
      {data !== undefined && (
        <Pages
          before={pages}
          next={data.nextCursor}
          turn={(next) => void navigate({ search: { pages: next } })}
        />
      )}
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
