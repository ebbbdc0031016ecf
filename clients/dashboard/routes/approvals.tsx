import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { refusalOf, useApprovals, type Waiting } from "../api/approvals.ts";
import { type Decidable, decidableOf, type Verdict } from "../api/decidable.ts";
import { type Me, useMe } from "../api/me.ts";
import { Failure, Loading } from "../parts/failure.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { useShortcuts } from "../shell/shortcut.ts";
import { texts } from "../texts/texts.ts";
import { ApprovalDetail } from "./approvals/detail.tsx";
import { filtered, type InboxFilters } from "./approvals/inbox-filters.ts";
import { Inbox } from "./approvals/inbox.tsx";
import { ProposalDetail } from "./approvals/proposal.tsx";
import { DecisionSheet } from "./approvals/sheet.tsx";

const { approvals: words } = texts;
const route = getRouteApi("/shell/approvals");

/** What waits for me, what exactly is it, and what if I say yes? */
export function Approvals() {
  const { data, isError, error, refetch } = useApprovals();
  const me = useMe().data;
  return (
    <>
      <PageTitle text={words.title} />
      {data !== undefined && me !== undefined && <Screen all={data.entries} hasMore={data.hasMore} me={me} />}
      {data === undefined && (isError ? <Failure error={error} retry={refetch} /> : <Loading lines={10} />)}
    </>
  );
}

interface Sheet {
  readonly verdict: Verdict;
  readonly items: readonly Decidable[];
}

interface ScreenProps {
  readonly all: readonly Waiting[];
  /** True if more orders wait than are read. */
  readonly hasMore: boolean;
  readonly me: Me;
}

/** One confirmation covers so many orders. */
const maxTicked = 50;

function Screen({ all, hasMore, me }: ScreenProps) {
  const { order: chosen, tab = "mine", ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [sheet, setSheet] = useState<Sheet>();
  const mine = all.filter((entry) => refusalOf(entry) === undefined);
  const others = all.filter((entry) => refusalOf(entry) !== undefined);
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
  const list = (next: "mine" | "others", by: InboxFilters) => {
    setFirst(filtered(next === "mine" ? mine : others, by)[0]?.id);
    setTicked(new Set());
    void navigate({ search: { ...(next === "mine" ? {} : { tab: next }), ...by }, replace: true });
  };
  const tick = (id: string) => {
    const rest = [...ticked].filter((one) => one !== id);
    setTicked(new Set(ticked.has(id) || rest.length >= maxTicked ? rest : [...rest, id]));
  };
  const many = entries.filter(({ kind, id }) => kind === "order" && ticked.has(id)).map(decidableOf);
  const decide = (verdict: Verdict) => {
    if (many.length > 0) setSheet({ verdict, items: many });
    else if (found !== undefined && refusalOf(found) === undefined)
      setSheet({ verdict, items: [decidableOf(found)] });
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
    const left = entries.filter(({ id }) => !decided.has(id));
    const next = left.find((entry) => entries.indexOf(entry) > index) ?? left[0];
    setSheet(undefined);
    setTicked(new Set());
    setFirst(next?.id);
    choose(chosen === undefined ? undefined : next?.id);
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
        choose={choose}
        tick={tick}
        decideMany={decide}
      />
      <Detail
        id={shownId}
        waiting={shown}
        isGone={found === undefined}
        me={me}
        decide={(verdict, item) => setSheet({ verdict, items: [item] })}
        back={() => choose(undefined)}
      />
      {sheet !== undefined && (
        <DecisionSheet {...sheet} dismiss={() => setSheet(undefined)} decided={close} />
      )}
    </div>
  );
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
