import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { refusalOf, refusalOfOrder, useApprovals, type Waiting } from "../../api/approvals/approvals.ts";
import {
  canBeDenied,
  type Decidable,
  decidableOf,
  decidableOrder,
  type Verdict,
} from "../../api/approvals/decidable.ts";
import { type Me, useMe } from "../../api/people/me.ts";
import { useShownOrder } from "../../api/orders/order.ts";
import { Failure, Loading } from "../../parts/page/failure.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { useShortcuts } from "../../shell/navigation/shortcut.ts";
import { approvalTexts as words } from "../../texts/approvals.ts";
import { ApprovalDetail } from "./detail.tsx";
import { Decided } from "./decided.tsx";
import { filtered, type InboxFilters } from "./filters.ts";
import { Inbox, type Tab, type WaitingTab } from "./inbox.tsx";
import { ProposalDetail } from "./proposal.tsx";
import { DecisionSheet } from "./sheet.tsx";

const route = getRouteApi("/shell/approvals");

/** What waits for me, what exactly is it, and what if I say yes? */
export function Approvals() {
  const { data, isError, error, refetch } = useApprovals();
  const me = useMe().data;
  return (
    <>
      <PageTitle text={words.title} />
      {data !== undefined && me !== undefined && (
        <ChosenTab all={data.entries} hasMore={data.hasMore} me={me} />
      )}
      {data === undefined && (isError ? <Failure error={error} retry={refetch} /> : <Loading lines={10} />)}
    </>
  );
}

interface ChosenTabProps {
  readonly all: readonly Waiting[];
  /** True if more orders wait than are read. */
  readonly hasMore: boolean;
  readonly me: Me;
}

/** What waits for this person or for others, or what was decided. */
function ChosenTab(props: ChosenTabProps) {
  const { tab = "mine" } = route.useSearch();
  const mine = props.all.filter((entry) => refusalOf(entry) === undefined);
  const others = props.all.filter((entry) => refusalOf(entry) !== undefined);
  if (tab === "decided")
    return <Decided counts={{ mine: mine.length, others: others.length }} me={props.me} />;
  return <Screen {...props} mine={mine} others={others} tab={tab} />;
}

interface Sheet {
  readonly verdict: Verdict;
  readonly items: readonly Decidable[];
  /** What followed the shown entry when the sheet was opened. A decided entry is no longer in the list. */
  readonly following: readonly string[];
}

interface ScreenProps extends ChosenTabProps {
  readonly mine: readonly Waiting[];
  readonly others: readonly Waiting[];
  readonly tab: WaitingTab;
}

/** One confirmation covers so many orders. */
const maxTicked = 50;

function Screen({ all, mine, others, tab, hasMore, me }: ScreenProps) {
  const { order: chosen, tab: _tab, pages: _pages, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const decidableShown = useDecidableShown(me);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [sheet, setSheet] = useState<Sheet>();
  const entries = filtered(tab === "mine" ? mine : others, filters);
  // What is shown stays, also when it is decided elsewhere: nothing changes under a finger that is about to click.
  const [first, setFirst] = useState(entries[0]?.id);
  if (first === undefined && entries[0] !== undefined) setFirst(entries[0].id);
  const shownId = chosen ?? first;
  const index = entries.findIndex(({ id }) => id === shownId);
  const found = all.find(({ id }) => id === shownId);
  const [kept, setKept] = useState(found);
  if (found !== undefined && found !== kept) setKept(found);
  const shown = found ?? (kept?.id === shownId ? kept : undefined);
  const choose = (id: string | undefined) =>
    void navigate({
      search: { ...(id === undefined ? {} : { order: id }), ...(tab === "mine" ? {} : { tab }), ...filters },
      replace: true,
    });
  const list = (next: Tab, by: InboxFilters) => {
    setFirst(filtered(next === "mine" ? mine : others, by)[0]?.id);
    setTicked(new Set());
    void navigate({ search: { ...(next === "mine" ? {} : { tab: next }), ...by }, replace: true });
  };
  const isFull = ticked.size >= maxTicked;
  const tick = (id: string) => {
    const rest = [...ticked].filter((one) => one !== id);
    setTicked(new Set(ticked.has(id) || rest.length >= maxTicked ? rest : [...rest, id]));
  };
  const many = entries.filter(({ kind, id }) => kind === "order" && ticked.has(id)).map(decidableOf);
  const open = (verdict: Verdict, items: readonly Decidable[]) =>
    setSheet({ verdict, items, following: entries.slice(index + 1).map(({ id }) => id) });
  const decide = (verdict: Verdict) => {
    const items = many.length > 0 ? many : decidableShown(found);
    const can = verdict === "approve" || items.every(({ kind }) => canBeDenied(kind));
    if (items.length > 0 && can) open(verdict, items);
  };
  useShortcuts({
    j: () => choose(entries[Math.min(index + 1, entries.length - 1)]?.id),
    k: () => choose(entries[Math.max(index - 1, 0)]?.id),
    x: () => found?.kind === "order" && tab === "mine" && tick(found.id),
    a: () => decide("approve"),
    d: () => decide("deny"),
    o: () => shown?.kind === "order" && void navigate({ to: "/orders/$id", params: { id: shown.id } }),
  });
  const close = () => {
    const decided = new Set(sheet?.items.map(({ id }) => id));
    const left = entries.flatMap(({ id }) => (decided.has(id) ? [] : [id]));
    const next = sheet?.following.find((id) => left.includes(id)) ?? left[0];
    setSheet(undefined);
    setTicked(new Set());
    setFirst(next);
    choose(chosen === undefined ? undefined : next);
  };
  return (
    <div className={chosen === undefined ? "approvals" : "approvals chosen"}>
      <Inbox
        entries={entries}
        counts={{ mine: mine.length, others: others.length }}
        tab={tab}
        hasMore={hasMore}
        turnTo={(next) => list(next, filters)}
        filters={filters}
        change={(by) => list(tab, by)}
        shownId={shownId}
        ticked={ticked}
        many={many}
        isFull={isFull}
        choose={choose}
        tick={tick}
        decideMany={decide}
      />
      <Detail
        id={shownId}
        waiting={shown}
        isGone={found === undefined}
        me={me}
        decide={(verdict, item) => open(verdict, [item])}
        back={() => choose(undefined)}
      />
      {sheet !== undefined && (
        <DecisionSheet {...sheet} dismiss={() => setSheet(undefined)} decided={close} />
      )}
    </div>
  );
}

/**
 * What the keyboard decides if nothing is ticked. An order is taken as it is shown beside the list, and not from its
 * row, because the two may have been read at different times. An order that has not been read yet can't be decided.
 */
function useDecidableShown(me: Me): (found: Waiting | undefined) => readonly Decidable[] {
  const shownOrder = useShownOrder();
  return (found) => {
    if (found === undefined) return [];
    if (found.kind !== "order") return refusalOf(found) === undefined ? [decidableOf(found)] : [];
    const order = shownOrder(found.id);
    const mayDecide = order?.awaiting === "Approval" && refusalOfOrder(order, me) === undefined;
    return mayDecide ? [decidableOrder(order)] : [];
  };
}

interface DetailProps {
  readonly id: string | undefined;
  readonly waiting: Waiting | undefined;
  readonly isGone: boolean;
  readonly me: Me;
  readonly decide: (verdict: Verdict, item: Decidable) => void;
  readonly back: () => void;
}

/** An order is read by its id: a link may lead to one that the inbox does not list. */
function Detail({ id, waiting, isGone, me, decide, back }: DetailProps) {
  if (id?.startsWith("po_") === true)
    return <ApprovalDetail key={id} id={id} me={me} decide={decide} back={back} />;
  if (waiting === undefined || waiting.kind === "order") return null;
  return <ProposalDetail key={waiting.id} waiting={waiting} isGone={isGone} decide={decide} back={back} />;
}
