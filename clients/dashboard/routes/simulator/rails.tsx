import { Link } from "@tanstack/react-router";
import type { SimulatedRail } from "../../../typescript/types.gen.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { paths, useCreateRule, useEndRule, useRails } from "../../api/orders/simulator.ts";
import { Card } from "../../parts/page/card.tsx";
import { Chip } from "../../parts/values/chip.tsx";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import type { CurlRequest } from "../../parts/copy/curl.ts";
import { Failure, FailureNote, Loading } from "../../parts/page/failure.tsx";
import { Moment } from "../../parts/values/moment.tsx";
import { orderTexts } from "../../texts/orders.ts";
import { simulatorTexts } from "../../texts/simulator.ts";

const { rails: words } = simulatorTexts;

/** Each rail: whether it takes payments, what is on its way, and a switch that takes it out. */
export function Rails() {
  const { data, isError, error, refetch } = useRails();
  const { columns } = words;
  return (
    <Card title={words.title}>
      {data === undefined && (isError ? <Failure error={error} retry={refetch} /> : <Loading lines={5} />)}
      {data !== undefined && (
        <table className="list">
          <thead>
            <tr>
              <th scope="col">{columns.rail}</th>
              <th scope="col" className="right wide">
                {columns.inFlight}
              </th>
              <th scope="col" className="right wide">
                {columns.rules}
              </th>
              <th scope="col">
                <span className="hidden-visually">{columns.outage}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((rail) => (
              <RailRow key={rail.rail} rail={rail} />
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function RailRow({ rail }: { rail: SimulatedRail }) {
  const { rail: name, open, opensAt, cutoffAt, outageId, inFlight, held, injectionIds } = rail;
  const window = open ? cutoffAt : opensAt;
  return (
    <tr>
      <td>
        <b>{orderTexts.rails[name]}</b>{" "}
        <Chip tone={outageId !== null ? "bad" : open ? "ok" : "warn"}>
          {outageId !== null ? words.out : open ? words.open : words.closed}
        </Chip>
        {window !== null && (
          <small>
            {open ? words.until : words.opens} <Moment at={window} />
          </small>
        )}
        {held > 0 && <small>{words.held(held)}</small>}
      </td>
      <td className="right num wide">{inFlight}</td>
      <td className="right num wide">
        {injectionIds.length === 0 ? 0 : <Link to="/simulator/rules">{injectionIds.length}</Link>}
      </td>
      <td className="right">
        <Outage rail={rail} />
      </td>
    </tr>
  );
}

function Outage({ rail: { rail, outageId } }: { rail: SimulatedRail }) {
  const create = useCreateRule();
  const end = useEndRule();
  const isHeld = useAwaySince() !== null || create.isPending || end.isPending;
  const body = { match: { rail }, fault: "Outage" } as const;
  const request: CurlRequest =
    outageId === null
      ? { method: "POST", path: paths.rules, body }
      : { method: "DELETE", path: paths.rule(outageId) };
  const name = orderTexts.rails[rail];
  const error = create.error ?? end.error;
  return (
    <>
      <span className="actions row-actions">
        <button
          type="button"
          disabled={isHeld}
          aria-label={outageId === null ? words.takeOutNamed(name) : words.bringBackNamed(name)}
          onClick={() => (outageId === null ? create.mutate(body) : end.mutate(outageId))}
        >
          {outageId === null ? words.takeOut : words.bringBack}
        </button>
        <CopyCurl request={request} text={words.curl} />
      </span>
      {error !== null && <FailureNote error={error} />}
    </>
  );
}
