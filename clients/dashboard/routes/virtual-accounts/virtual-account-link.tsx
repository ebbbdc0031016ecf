import { Link } from "@tanstack/react-router";
import { useVirtualAccount } from "../../api/books/virtual-accounts.ts";
import { visible } from "../../parts/values/visible-text.ts";

/** Leads to the virtual account, by its name once that is read. */
export function VirtualAccountLink({ id }: { id: string }) {
  const { data } = useVirtualAccount(id);
  return (
    <Link to="/virtual-accounts/$id" params={{ id }}>
      {data === undefined ? <span className="mono">{id}</span> : visible(data.name)}
    </Link>
  );
}
