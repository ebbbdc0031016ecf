import { Link } from "@tanstack/react-router";
import { texts } from "../../texts/texts.ts";

const names = {
  "/webhooks": texts.webhooks.title,
  "/webhooks/endpoints": texts.webhooks.tabs.endpoints,
  "/webhooks/sinks": texts.webhooks.tabs.sinks,
} as const;

/** The way back to the list that a page belongs to. */
export function Crumb({ to }: { to: keyof typeof names }) {
  return (
    <>
      <Link className="crumb" to={to}>
        {names[to]}
      </Link>
      <span className="crumb"> / </span>
    </>
  );
}
