import { Link } from "@tanstack/react-router";
import { useCounterparty } from "../../api/orders/counterparties.ts";
import { visible } from "../../parts/values/visible-text.ts";

/** Leads to the counterparty, by its name once that is read. */
export function CounterpartyLink({ id }: { id: string }) {
  const { data } = useCounterparty(id);
  return (
    <Link to="/counterparties/$id" params={{ id }}>
      {data === undefined ? <span className="mono">{id}</span> : visible(data.name)}
    </Link>
  );
}
