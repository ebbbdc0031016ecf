import { Link } from "@tanstack/react-router";
import type { Waiting } from "../../api/approvals/approvals.ts";
import {
  type Decidable,
  decidableOf,
  isOfLedger,
  proposedBy,
  type Verdict,
} from "../../api/approvals/decidable.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { useMay } from "../../api/people/me.ts";
import { Chip } from "../../parts/values/chip.tsx";
import { age } from "../../parts/values/moment.tsx";
import { money } from "../../parts/values/money.ts";
import { useNow } from "../../parts/values/now.ts";
import { policyFieldInWords } from "../../parts/form/policy-field.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { approvalTexts as words } from "../../texts/approvals.ts";
import { orderTexts } from "../../texts/orders.ts";
import { FilterBar } from "./filter-bar.tsx";
import { type InboxFilters, narrows } from "./filters.ts";

const tabs = ["mine", "others", "decided"] as const;
/** What waits for the reader, what waits for others, and what was decided. */
export type Tab = (typeof tabs)[number];
export type WaitingTab = Exclude<Tab, "decided">;

interface InboxProps {
  readonly entries: readonly Waiting[];
  readonly counts: Readonly<Record<WaitingTab, number>>;
  readonly tab: WaitingTab;
  readonly hasMore: boolean;
  readonly turnTo: (tab: Tab) => void;
  readonly filters: InboxFilters;
  readonly change: (filters: InboxFilters) => void;
  readonly shownId: string | undefined;
  readonly ticked: ReadonlySet<string>;
  readonly many: readonly Decidable[];
  /** True if no further order can be ticked. */
  readonly isFull: boolean;
  readonly choose: (id: string) => void;
  readonly tick: (id: string) => void;
  readonly decideMany: (verdict: Verdict) => void;
}

export function Inbox(props: InboxProps) {
  const { entries, counts, tab, hasMore, shownId, ticked, many, isFull, choose, tick, decideMany } = props;
  const sum = many.reduce((total, { amountCents }) => total + (amountCents ?? 0), 0);
  return (
    <section className="inbox" aria-label={words.list}>
      <Tabs {...props} />
      {counts[tab] > 0 && <FilterBar {...props} />}
      {entries.length === 0 && <Empty {...props} />}
      <ul>
        {entries.map((entry) => (
          <Row
            key={entry.id}
            entry={entry}
            isShown={entry.id === shownId}
            isTicked={ticked.has(entry.id)}
            choose={() => choose(entry.id)}
            {...(tab === "mine" && entry.kind === "order" ? { tick: () => tick(entry.id) } : {})}
          />
        ))}
      </ul>
      {hasMore && <p className="note first">{words.more}</p>}
      {isFull && <output className="note">{words.atMost}</output>}
      {many.length > 1 && (
        <div className="bulk">
          <button type="button" className="primary" onClick={() => decideMany("approve")}>
            {words.bulk(many.length, money(sum))}
          </button>
          <button type="button" className="bad" onClick={() => decideMany("deny")}>
            {words.deny}
          </button>
        </div>
      )}
      <p className="keys">
        <span>
          <kbd>J</kbd> <kbd>K</kbd> {words.keys.move}
        </span>
        <span>
          <kbd>X</kbd> {words.keys.select}
        </span>
        <span>
          <kbd>A</kbd> {words.keys.approve}
        </span>
        <span>
          <kbd>D</kbd> {words.keys.deny}
        </span>
      </p>
    </section>
  );
}

interface TabsProps {
  /** How many wait. */
  readonly counts: Readonly<Record<WaitingTab, number>>;
  readonly tab: Tab;
  readonly turnTo: (tab: Tab) => void;
}

export function Tabs({ counts, tab, turnTo }: TabsProps) {
  return (
    <div className="tabs">
      {tabs.map((one) => (
        <button type="button" key={one} aria-pressed={one === tab} onClick={() => turnTo(one)}>
          {words.tabs[one]} {one !== "decided" && <span className="num">{counts[one]}</span>}
        </button>
      ))}
    </div>
  );
}

type EmptyProps = Pick<InboxProps, "counts" | "tab" | "hasMore" | "filters" | "change">;

function Empty({ counts, tab, hasMore, filters, change }: EmptyProps) {
  const mayMake = useMay("orders:write");
  const isUnknown = useAwaySince() !== null;
  const isHidden = counts[tab] > 0 && narrows(filters);
  const listed = tab === "mine" && hasMore ? "mineOfListed" : tab;
  const kind = isHidden ? "filtered" : isUnknown ? "unknown" : listed;
  const { title, text } = words.empty[kind];
  return (
    <div className="empty">
      <b>{title}</b>
      <p>{text}</p>
      {isHidden && (
        <button type="button" onClick={() => change({})}>
          {words.filters.clear}
        </button>
      )}
      {kind !== "unknown" && !isHidden && mayMake && tab === "mine" && (
        <Link className="button" to="/orders/new">
          {words.make}
        </Link>
      )}
    </div>
  );
}

interface RowProps {
  readonly entry: Waiting;
  readonly isShown: boolean;
  readonly isTicked: boolean;
  readonly choose: () => void;
  /** Absent where it can't be decided together with others. */
  readonly tick?: () => void;
}

function Row({ entry, isShown, isTicked, choose, tick }: RowProps) {
  const { title, amountCents } = decidableOf(entry);
  return (
    <li className={isShown ? "row on" : "row"}>
      {tick === undefined ? (
        <span />
      ) : (
        <input
          type="checkbox"
          className="tick"
          checked={isTicked}
          onChange={tick}
          aria-label={words.select(title)}
        />
      )}
      <button type="button" className="row-button" aria-current={isShown} onClick={choose}>
        <span className="what">
          <b>{title}</b>
          <Remarks entry={entry} />
        </span>
        <span className="right">
          {amountCents === null ? (
            <Chip tone="info">{words.proposals.chip}</Chip>
          ) : (
            <b className="num">{money(amountCents)}</b>
          )}
          {entry.kind === "order" && (
            <Dots received={entry.order.approval.received} required={entry.order.approval.required} />
          )}
        </span>
      </button>
    </li>
  );
}

function Remarks({ entry }: { entry: Waiting }) {
  const now = useNow();
  if (entry.kind !== "order") {
    const { proposedAt } = entry.proposal;
    return (
      <>
        <small>{remarkOf(entry)}</small>
        <small className="by">
          {proposedBy(entry.proposal)} · {age(proposedAt, now)}
        </small>
      </>
    );
  }
  const { purpose, description, externalId, rail, createdBy, createdAt } = entry.order;
  const remark = [purpose, description, externalId].filter((text) => text !== null).map(visible);
  return (
    <>
      {remark.length > 0 && <small>{remark.join(" · ")}</small>}
      <small className="by">
        {orderTexts.rails[rail]} · {words.madeBy(visible(createdBy))} · {age(createdAt, now)}
      </small>
    </>
  );
}

/** One line on what a proposal would allow, or what it waits for. */
function remarkOf(entry: Exclude<Waiting, { kind: "order" }>): string {
  const { remark } = words.proposals;
  if (isOfLedger(entry)) return remark[entry.kind];
  if (entry.kind === "policy")
    return remark.policy(entry.proposal.loosens.map(policyFieldInWords).join(", "));
  return entry.kind === "apiKey" ? visible(entry.proposal.reason) : remark.role;
}

function Dots({ received, required }: { received: number; required: number }) {
  return (
    <small className="dots" title={words.ofAria(received, required)}>
      {Array.from({ length: required }, (_, index) => (
        <i key={index} className={index < received ? "full" : ""} />
      ))}{" "}
      {words.of(received, required)}
    </small>
  );
}
