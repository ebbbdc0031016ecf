import { Link } from "@tanstack/react-router";
import { webhookTexts } from "../../texts/webhooks.ts";

const names = {
  "/webhooks": webhookTexts.title,
  "/webhooks/events": webhookTexts.tabs.events,
  "/webhooks/endpoints": webhookTexts.tabs.endpoints,
  "/webhooks/sinks": webhookTexts.tabs.sinks,
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
