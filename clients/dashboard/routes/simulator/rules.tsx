import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import type { Injection, InjectionMatch, InjectionStatus } from "../../../typescript/types.gen.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { paths, useEndRule, useRules } from "../../api/orders/simulator.ts";
import { Chip, type Tone } from "../../parts/values/chip.tsx";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { EmptyList } from "../../parts/page/empty-list.tsx";
import { Failure, FailureNote, Loading } from "../../parts/page/failure.tsx";
import { Moment } from "../../parts/values/moment.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { orderTexts } from "../../texts/orders.ts";
import { simulatorTexts } from "../../texts/simulator.ts";
import { RuleForm } from "./rule-form.tsx";
import { Tabs } from "./tabs.tsx";

const { rules: words } = simulatorTexts;

/** What the rails do to which payments, until a rule ends. */
export function Rules() {
  const { data, isError, error, refetch } = useRules();
  const [isCreating, setCreating] = useState(false);
  return (
    <div className="body">
      <PageTitle text={simulatorTexts.title} />
      <div className="bar">
        <Tabs />
        <button type="button" className="primary push" onClick={() => setCreating(true)}>
          <Plus aria-hidden /> {words.create}
        </button>
      </div>
      {data === undefined && (isError ? <Failure error={error} retry={refetch} /> : <Loading />)}
      {data !== undefined && data.length === 0 && <EmptyList title={words.empty} text={words.emptyText} />}
      {data !== undefined && data.length > 0 && <RuleTable rules={data} />}
      {isCreating && <RuleForm close={() => setCreating(false)} />}
    </div>
  );
}

const tones: Record<InjectionStatus, Tone> = { Active: "ok", Used: "plain", Ended: "plain" };

function RuleTable({ rules }: { rules: readonly Injection[] }) {
  const { columns } = words;
  return (
    <div className="card">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.what}</th>
            <th scope="col" className="wide">
              {columns.which}
            </th>
            <th scope="col" className="right">
              {columns.applied}
            </th>
            <th scope="col" className="wide">
              {columns.made}
            </th>
            <th scope="col">{columns.status}</th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => {
            const { id, fault, code, status, applied, count, match, shadowedBy, createdBy, createdAt } = rule;
            return (
              <tr key={id}>
                <td>
                  <b>
                    {words.faults[fault].name} {code}
                  </b>
                  <small>{words.faults[fault].text}</small>
                </td>
                <td className="wide name">
                  <Match match={match} />
                  {rule.share !== null && <small>{words.share(rule.share)}</small>}
                  {shadowedBy !== null && status === "Active" && <small>{words.shadowed}</small>}
                </td>
                <td className="right num">{count === null ? applied : words.of(applied, count)}</td>
                <td className="wide">
                  {visible(createdBy)}
                  <small>
                    <Moment at={createdAt} />
                  </small>
                </td>
                <td>
                  <Chip tone={tones[status]}>{words.statuses[status]}</Chip>
                  {status === "Active" && <End id={id} />}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Match({ match }: { match: InjectionMatch }) {
  const { orderId, externalId, rail, accountNumber, direction } = match;
  const only = direction === null ? "" : ` · ${orderTexts.directions[direction]}`;
  if (orderId !== null) {
    return (
      <Link className="mono" to="/orders/$id" params={{ id: orderId }}>
        {orderId}
      </Link>
    );
  }
  if (rail !== null) return words.onRail(orderTexts.rails[rail]) + only;
  if (externalId !== null) return words.ofReference(visible(externalId)) + only;
  return words.toNumber(visible(accountNumber ?? "")) + only;
}

function End({ id }: { id: string }) {
  const end = useEndRule();
  const isAway = useAwaySince() !== null;
  return (
    <>
      <span className="actions row-actions">
        <button type="button" disabled={end.isPending || isAway} onClick={() => end.mutate(id)}>
          {words.end}
        </button>
        <CopyCurl request={{ method: "DELETE", path: paths.rule(id) }} text={simulatorTexts.rails.curl} />
      </span>
      {end.isError && <FailureNote error={end.error} />}
    </>
  );
}
