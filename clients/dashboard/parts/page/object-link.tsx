import { Link, type LinkProps } from "@tanstack/react-router";
import { visible } from "../values/visible-text.ts";

const pages: Readonly<Record<string, NonNullable<LinkProps["to"]>>> = {
  po: "/orders/$id",
  cp: "/counterparties/$id",
  la: "/ledger/$id",
  va: "/virtual-accounts/$id",
  ip: "/inbound/$id",
  ob: "/obligations/$id",
  we: "/webhooks/endpoints/$id",
};

/** The id of what an entry or event is about, with a link to its page if it has one. */
export function ObjectLink({ id }: { id: string }) {
  const to = pages[id.slice(0, id.indexOf("_"))];
  if (to === undefined) return <span className="mono">{visible(id)}</span>;
  return (
    <Link className="mono" to={to} params={{ id }}>
      {id}
    </Link>
  );
}
