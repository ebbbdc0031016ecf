import { Link } from "@tanstack/react-router";
import { useAccountAsOf } from "../../api/books/ledger.ts";
import { visible } from "./visible-text.ts";

/** A ledger account by its name, once that is read. */
export function AccountLink({ id }: { id: string }) {
  const { data } = useAccountAsOf(id, undefined);
  return (
    <Link to="/ledger/$id" params={{ id }}>
      {data === undefined ? <span className="mono id">{id}</span> : visible(data.name)}
    </Link>
  );
}
