/** Answers that a test gives in place of the gateway. */

const requestId = "req_01jd3k60a2f8x9t4c1v5b7w3me";

const problem = (status: number, rest: object) => ({
  status,
  contentType: "application/problem+json",
  body: JSON.stringify({ status, requestId, ...rest }),
});

export const unavailable = problem(503, {
  code: "service_unavailable",
  title: "Service unavailable",
  detail: "Send it again.",
  retryable: true,
});

/** After 503 the page repeats a request by itself; after this one it does not. */
export const tooMany = problem(429, {
  code: "rate_limited",
  title: "Too many requests",
  detail: "Send it again in a moment.",
  retryable: true,
});

export const forbidden = problem(403, {
  code: "insufficient_scope",
  title: "The caller lacks a scope",
  detail: "Ask an admin for a role with the scope webhooks:read: none of yours has it.",
  retryable: false,
});

export const sessionEnded = problem(401, {
  code: "session_ended",
  title: "The session is over",
  detail: "Sign in again.",
  retryable: false,
});

export const missing = problem(404, {
  code: "not_found",
  title: "There is no such resource",
  detail: "There is no counterparty with this id in this book.",
  retryable: false,
});
