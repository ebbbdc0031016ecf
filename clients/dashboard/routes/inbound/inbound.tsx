import { getRouteApi, Link } from "@tanstack/react-router";
import type { InboundPayment } from "../../../typescript/types.gen.ts";
import { useInboundPayments } from "../../api/books/inbound.ts";
import { useMay } from "../../api/people/me.ts";
import { mode } from "../../book.ts";
import { FilterChoice } from "../../parts/form/filter-choice.tsx";
import { FilterText } from "../../parts/form/filter-text.tsx";
import { masked } from "../../parts/values/masked.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { money } from "../../parts/values/money.ts";
import { EmptyList } from "../../parts/page/empty-list.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { PagedList } from "../../parts/page/paged-list.tsx";
import { changed, hasFilter } from "../../parts/page/read-search.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { inboundTexts as words } from "../../texts/inbound.ts";
import { orderTexts } from "../../texts/orders.ts";
import { type InboundFilters, statuses } from "./filters.ts";
import { InboundStatus } from "./inbound-status.tsx";
import { VirtualAccountLink } from "../virtual-accounts/virtual-account-link.tsx";

const route = getRouteApi("/shell/inbound");

/** Who sent what, and what is in Suspense? */
export function InboundPayments() {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const change = (by: Partial<InboundFilters>) => void navigate({ search: (now) => changed(now, by) });
  const clear = () => void navigate({ search: {} });
  const payments = useInboundPayments(filters);
  return (
    <div className="body">
      <PageTitle text={words.title} />
      <FilterBar filters={filters} change={change} clear={clear} />
      <PagedList
        list={payments}
        empty={<Empty filters={filters} />}
        cursors={filters.pages ?? []}
        turn={(pages) => change({ pages })}
      >
        {(items) => <PaymentTable payments={items} />}
      </PagedList>
    </div>
  );
}

interface FilterBarProps {
  readonly filters: InboundFilters;
  readonly change: (by: Partial<InboundFilters>) => void;
  readonly clear: () => void;
}

/** A changed filter begins at the first page again. */
function FilterBar({ filters, change, clear }: FilterBarProps) {
  return (
    <div className="filters">
      <FilterChoice
        label={words.filters.statusLabel}
        any={words.filters.status}
        options={statuses.map((status) => [status, words.statuses[status]])}
        value={filters.status}
        choose={(status) => change({ status })}
      />
      <FilterText
        key={filters.bankReference ?? ""}
        label={words.filters.bankReference}
        value={filters.bankReference ?? ""}
        choose={(bankReference) => change({ bankReference })}
      />
      {filters.virtualAccountId !== undefined && (
        <span className="chip info">
          {words.filters.virtualAccount} <VirtualAccountLink id={filters.virtualAccountId} />
        </span>
      )}
      {hasFilter(filters) && (
        <button type="button" className="quiet" onClick={clear}>
          {words.filters.clear}
        </button>
      )}
    </div>
  );
}

function Empty({ filters }: { filters: InboundFilters }) {
  const maySimulate = useMay("simulate") && mode === "Test";
  const { empty } = words;
  if (hasFilter(filters)) {
    const isSuspense =
      filters.status === "Suspended" &&
      filters.bankReference === undefined &&
      filters.virtualAccountId === undefined;
    return (
      <EmptyList
        title={isSuspense ? empty.suspense : empty.filtered}
        text={isSuspense ? empty.suspenseText : empty.filteredText}
      />
    );
  }
  return (
    <EmptyList title={empty.title} text={empty.text}>
      {maySimulate && (
        <Link className="button primary" to="/simulator">
          {empty.simulate}
        </Link>
      )}
    </EmptyList>
  );
}

function PaymentTable({ payments }: { payments: readonly InboundPayment[] }) {
  const { columns } = words;
  return (
    <div className="card scroll-x">
      <table className="list">
        <caption className="hidden-visually">{words.table}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.sender}</th>
            <th scope="col" className="wide">
              {columns.rail}
            </th>
            <th scope="col" className="wide">
              {columns.number}
            </th>
            <th scope="col">{columns.status}</th>
            <th scope="col" className="wide">
              {columns.booked}
            </th>
            <th scope="col" className="right">
              {columns.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {payments.map((payment) => (
            <PaymentRow key={payment.id} payment={payment} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PaymentRow({ payment }: { payment: InboundPayment }) {
  return (
    <tr className="link">
      <td className="name">
        <Link className="row-link" to="/inbound/$id" params={{ id: payment.id }}>
          {visible(payment.originatorName)}
        </Link>
        <small>{visible(payment.bankReference)}</small>
      </td>
      <td className="wide">
        {orderTexts.rails[payment.rail]} <small>{words.directions[payment.direction]}</small>
      </td>
      <td className="wide mono">{masked(payment.accountNumber)}</td>
      <td>
        <InboundStatus status={payment.status} />
        {payment.reason !== null && <small className="wide">{words.reasons[payment.reason]}</small>}
      </td>
      <td className="wide">
        <Moment at={payment.occurredAt} />
      </td>
      <td className="right num strong">{money(payment.amountCents)}</td>
    </tr>
  );
}
