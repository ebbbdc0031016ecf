import { getRouteApi } from "@tanstack/react-router";
import type { ApprovalOutcome, PaymentOrder } from "../../../typescript/types.gen.ts";
import { useDecided } from "../../api/approvals/approvals.ts";
import type { Me } from "../../api/people/me.ts";
import { Failure, Loading } from "../../parts/page/failure.tsx";
import { Pages } from "../../parts/page/pages.tsx";
import { Chip, type Tone } from "../../parts/values/chip.tsx";
import { Moment } from "../../parts/values/moment.tsx";
import { money } from "../../parts/values/money.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { useShortcuts } from "../../shell/navigation/shortcut.ts";
import { approvalTexts as words } from "../../texts/approvals.ts";
import { orderTexts } from "../../texts/orders.ts";
import { ApprovalDetail } from "./detail.tsx";
import { Tabs, type WaitingTab } from "./inbox.tsx";

const route = getRouteApi("/shell/approvals");

const tones: Record<ApprovalOutcome, Tone> = {
  Approved: "ok",
  Denied: "bad",
  Cancelled: "plain",
  Expired: "warn",
};

interface DecidedProps {
  readonly counts: Readonly<Record<WaitingTab, number>>;
  readonly me: Me;
}

/** Who decided which order, and when: the latest decision first. */
export function Decided({ counts, me }: DecidedProps) {
  const { order: chosen, pages = [], tab: _tab, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isPlaceholderData, refetch } = useDecided(pages);
  const orders = data?.data ?? [];
  const shownId = chosen ?? orders[0]?.id;
  const index = orders.findIndex(({ id }) => id === shownId);
  const show = (at: readonly string[], order?: string) =>
    void navigate({
      search: { ...filters, tab: "decided", ...(order === undefined ? {} : { order }), pages: [...at] },
      replace: order !== undefined,
    });
  const move = (by: number) => {
    const next = orders[Math.min(Math.max(index + by, 0), orders.length - 1)];
    if (next !== undefined) show(pages, next.id);
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    o: () => shownId !== undefined && void navigate({ to: "/orders/$id", params: { id: shownId } }),
  });
  return (
    <div className={chosen === undefined ? "approvals" : "approvals chosen"}>
      <section className="inbox" aria-label={words.decidedList.title}>
        <Tabs
          counts={counts}
          tab="decided"
          turnTo={(tab) =>
            void navigate({ search: { ...filters, ...(tab === "mine" ? {} : { tab }) }, replace: true })
          }
        />
        {data === undefined && (error === null ? <Loading /> : <Failure error={error} retry={refetch} />)}
        {data !== undefined && orders.length === 0 && (
          <div className="empty">
            <b>{words.empty.decided.title}</b>
            <p>{words.empty.decided.text}</p>
          </div>
        )}
        <ul>
          {orders.map((order) => (
            <Row
              key={order.id}
              order={order}
              isShown={order.id === shownId}
              choose={() => show(pages, order.id)}
            />
          ))}
        </ul>
        <Pages
          cursors={pages}
          next={isPlaceholderData ? null : (data?.nextCursor ?? null)}
          isTurning={isPlaceholderData}
          turn={(at) => show(at)}
        />
      </section>
      {shownId !== undefined && (
        <ApprovalDetail
          key={shownId}
          id={shownId}
          me={me}
          // An order that waits again is decided in the list of those that wait.
          decide={(_verdict, { id }) => void navigate({ search: { order: id } })}
          back={() => show(pages)}
        />
      )}
    </div>
  );
}

interface RowProps {
  readonly order: PaymentOrder;
  readonly isShown: boolean;
  readonly choose: () => void;
}

function Row({ order, isShown, choose }: RowProps) {
  const { counterpartyName, amountCents, approval, purpose, description, externalId } = order;
  const { decision } = approval;
  const remark = [purpose, description, externalId].filter((text) => text !== null).map(visible);
  return (
    <li className={isShown ? "row on" : "row"}>
      <span />
      <button type="button" className="row-button" aria-current={isShown} onClick={choose}>
        <span className="what">
          <b>{visible(counterpartyName ?? orderTexts.ownAccount)}</b>
          {remark.length > 0 && <small>{remark.join(" · ")}</small>}
          {decision !== null && (
            <small className="by">
              {words.decidedList.by[decision.outcome](visible(decision.decidedBy ?? ""))} ·{" "}
              <Moment at={decision.decidedAt} />
            </small>
          )}
        </span>
        <span className="right">
          <b className="num">{money(amountCents)}</b>
          {decision !== null && (
            <small>
              <Chip tone={tones[decision.outcome]}>{decision.outcome}</Chip>
            </small>
          )}
        </span>
      </button>
    </li>
  );
}
