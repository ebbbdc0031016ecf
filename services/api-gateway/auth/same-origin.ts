import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "../../../contracts/errors.ts";

interface Sent {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

const reading = new Set(["GET", "HEAD"]);

/**
 * A browser adds our cookie to requests that other pages cause, so a cookie counts only in a request of our own page:
 * the browser says `Sec-Fetch-Site: same-origin`, which no page can set, and names our own origin when it writes.
 * Refusals: `cross_site_request`; `unsupported_media_type` for a body that a form could send.
 *
 * @param ownOrigin such as `https://pay.example.com`; undefined: the host that the request names
 */
export function requireOwnPage({ method, headers }: Sent, ownOrigin: string | undefined): void {
  if (headers["sec-fetch-site"] !== "same-origin") throw fromElsewhere();
  if (reading.has(method)) return;
  if (!isOwnOrigin(headers, ownOrigin)) throw fromElsewhere();
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? "0") > 0;
  if (hasBody && !/^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "")) {
    throw new Refusal("unsupported_media_type", "Send the body with Content-Type: application/json.");
  }
}

function isOwnOrigin({ origin, host }: IncomingHttpHeaders, ownOrigin: string | undefined): boolean {
  if (origin === undefined || host === undefined) return false;
  return ownOrigin === undefined
    ? origin === `http://${host}` || origin === `https://${host}`
    : origin === ownOrigin;
}

function fromElsewhere(): Refusal {
  return new Refusal(
    "cross_site_request",
    "Call with the session's cookie from our own page only. Use an API key anywhere else.",
  );
}
