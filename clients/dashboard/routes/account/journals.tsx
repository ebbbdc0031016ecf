import { Link } from "@tanstack/react-router";
import type { JournalKind, LedgerAccountJournal } from "../../../typescript/types.gen.ts";
import { useJournals } from "../../api/books/ledger.ts";
import { Card } from "../../parts/page/card.tsx";
import { Chip } from "../../parts/values/chip.tsx";
import { money } from "../../parts/values/money.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { PagedList } from "../../parts/page/paged-list.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { ledgerTexts } from "../../texts/ledger.ts";
import type { AccountView } from "../ledger/filters.ts";

const { journals: words } = ledgerTexts;

const tones: Partial<Record<JournalKind, "ok" | "warn" | "bad" | "info">> = {
  Hold: "warn",
  Settle: "info",
  Post: "info",
  Inbound: "ok",
  Assign: "ok",
  LateReturn: "bad",
  Reverse: "bad",
  UnmatchedReturn: "bad",
};

interface JournalsProps {
  readonly id: string;
  readonly view: AccountView;
  readonly change: (by: Partial<AccountView>) => void;
}

/** What each journal did to the account, newest first, with the balances after it. */
export function Journals({ id, view, change }: JournalsProps) {
  const journals = useJournals(id, view);
  return (
    <Card title={words.title} aside={words.aside}>
      <PagedList
        list={journals}
        lines={10}
        empty={
          <div className="empty">
            <b>{words.empty.title}</b>
            <p>{words.empty.text}</p>
          </div>
        }
        cursors={view.pages ?? []}
        turn={(pages) => change({ pages })}
      >
        {(items) => (
          <div className="scroll-x">
            <JournalTable journals={items} />
          </div>
        )}
      </PagedList>
    </Card>
  );
}

function JournalTable({ journals }: { journals: readonly LedgerAccountJournal[] }) {
  const { columns } = words;
  return (
    <table className="list journals">
      <caption className="hidden-visually">{words.table}</caption>
      <thead>
        <tr>
          <th scope="col" className="wide">
            {columns.sequence}
          </th>
          <th scope="col" className="wide">
            {columns.recorded}
          </th>
          <th scope="col">{columns.what}</th>
          <th scope="col" className="wide">
            {columns.kind}
          </th>
          <th scope="col" className="right">
            {columns.held}
          </th>
          <th scope="col" className="right">
            {columns.posted}
          </th>
          <th scope="col" className="right wide">
            {columns.postedAfter}
          </th>
          <th scope="col" className="right wide">
            {columns.availableAfter}
          </th>
        </tr>
      </thead>
      <tbody>
        {journals.map((journal) => (
          <JournalRow key={journal.sequence} journal={journal} />
        ))}
      </tbody>
    </table>
  );
}

function JournalRow({ journal }: { journal: LedgerAccountJournal }) {
  const { sequence, kind, change, balancesAfter, createdAt } = journal;
  return (
    <tr>
      <td className="num wide dim">#{sequence.toLocaleString("en-US")}</td>
      <td className="wide">
        <Moment at={createdAt} />
      </td>
      <td className="name">
        <WhatFor journal={journal} />
      </td>
      <td className="wide">
        <Chip tone={tones[kind]}>{words.kinds[kind]}</Chip>
      </td>
      <td className="right num">
        {change.pendingInboundCents === 0 ? (
          signed(change.pendingCents)
        ) : (
          <span className="dim">{words.incoming(signed(change.pendingInboundCents))}</span>
        )}
      </td>
      <td className={change.postedCents > 0 ? "right num strong gain" : "right num strong"}>
        {signed(change.postedCents)}
      </td>
      <td className="right num wide">{money(balancesAfter.postedBalanceCents)}</td>
      <td className="right num wide">{money(balancesAfter.availableBalanceCents)}</td>
    </tr>
  );
}

/** Leads to the order, inbound payment or obligation that it belongs to. */
function WhatFor({ journal: { owner, description, externalId } }: { journal: LedgerAccountJournal }) {
  const text = visible(description ?? (owner === null ? words.own : words.owners[owner.kind]));
  return (
    <>
      {owner?.kind === "PaymentOrder" ? (
        <Link to="/orders/$id" params={{ id: owner.id }}>
          {text}
        </Link>
      ) : owner?.kind === "InboundPayment" ? (
        <Link to="/inbound/$id" params={{ id: owner.id }}>
          {text}
        </Link>
      ) : owner?.kind === "Obligation" ? (
        <Link to="/obligations/$id" params={{ id: owner.id }}>
          {text}
        </Link>
      ) : (
        <b>{text}</b>
      )}
      {externalId !== null && <small>{visible(externalId)}</small>}
    </>
  );
}

/** `+$1.00`, `−$1.00`; a dash for no change. */
function signed(cents: number): string {
  if (cents === 0) return "–";
  return cents > 0 ? `+${money(cents)}` : money(cents);
}
