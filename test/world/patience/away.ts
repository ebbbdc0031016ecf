/** Refusals that a repeat with the same Idempotency-Key ends. */
const codes = new Set(["service_unavailable", "upstream_timeout", "idempotency_in_progress"]);

/** True for the body of an answer that says that a service is away for a moment, or still busy with the request. */
export function isAway(body: unknown): boolean {
  return codes.has((body as { readonly code?: string } | null)?.code ?? "");
}
