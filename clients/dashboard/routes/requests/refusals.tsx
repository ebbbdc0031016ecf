import { errorCatalogue, type ErrorCode } from "../../../../contracts/errors.ts";
import { Link } from "@tanstack/react-router";
import type { RefusalSummary } from "../../../typescript/types.gen.ts";
import { Chip } from "../../parts/values/chip.tsx";
import { Moment } from "../../parts/values/moment.tsx";
import { requestTexts as words } from "../../texts/requests.ts";

interface RefusalsProps {
  readonly refusals: RefusalSummary["data"];
  readonly chosen: ErrorCode | undefined;
}

/** The codes with which requests were refused, the most frequent first. A code filters the list below. */
export function Refusals({ refusals, chosen }: RefusalsProps) {
  if (refusals.length === 0) return null;
  const { columns } = words;
  return (
    <div className="card">
      <table className="list">
        <caption className="hidden-visually">{words.byCode}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.code}</th>
            <th scope="col">{columns.status}</th>
            <th scope="col" className="right">
              {columns.requests}
            </th>
            <th scope="col" className="wide">
              {columns.last}
            </th>
          </tr>
        </thead>
        <tbody>
          {refusals.map(({ code, status, requests, lastAt }) => (
            <tr key={code} className="link">
              <td>
                <Link
                  className="row-link"
                  to="/requests"
                  search={{ code }}
                  {...(code === chosen ? { "aria-current": true as const } : {})}
                >
                  {titleOf(code)}
                </Link>
                <small className="mono">{code}</small>
              </td>
              <td>
                <StatusChip status={status} />
              </td>
              <td className="right num">{words.count(requests)}</td>
              <td className="wide">
                <Moment at={lastAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The code itself, if an update since this page was loaded has added it. */
export function titleOf(code: ErrorCode): string {
  return (errorCatalogue as Partial<typeof errorCatalogue>)[code]?.title ?? code;
}

export function StatusChip({ status }: { status: number }) {
  return <Chip tone={status >= 500 ? "bad" : "warn"}>{status}</Chip>;
}
