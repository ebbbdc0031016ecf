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

export const forbidden = problem(403, {
  code: "insufficient_scope",
  title: "The caller lacks a scope",
  detail: "Ask an admin for a role with the scope webhooks:read: none of yours has it.",
  retryable: false,
});
