import type { Metrics } from "../../platform/observability/metrics.ts";
import { isRedirectedReturn } from "../book/decision.ts";
import type { Journal } from "../book/journal.ts";

/** Counts late returns that went to Suspense. Call it after their commit. */
export type CountRedirected = (journals: readonly Journal[]) => void;

/** Nobody is answered that the money went to Suspense, so only the metric calls a person. */
export function redirectedReturnsOf(metrics: Metrics): CountRedirected {
  const redirected = metrics.counter(
    "ledger_redirected_returns_total",
    "Late returns that went to Suspense, because the account of their order is closed",
  );
  return (journals) => redirected.inc(journals.filter(isRedirectedReturn).length);
}
