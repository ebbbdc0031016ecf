/** Codes of refusals that end if the request is repeated with its Idempotency-Key. */
const codes = new Set(["service_unavailable", "upstream_timeout", "idempotency_in_progress"]);

/** True for the body of a transient refusal: a service did not answer, or it still carries out the same request. */
export function isTransient(body: unknown): boolean {
  return codes.has((body as { readonly code?: string } | null)?.code ?? "");
}
