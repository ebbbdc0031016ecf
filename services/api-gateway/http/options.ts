import { type Server, STATUS_CODES } from "node:http";
import type { FastifyHttpOptions, FastifyReply } from "fastify";
import { Refusal } from "../../../contracts/errors.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import type { GatewayConfig } from "../config.ts";
import { problemOf, refusalOf, internalError } from "./problem.ts";

export const maxBodyBytes = 1024 * 1024;
/** Longer than a stream of changes is silent, and than any request waits for its answer. */
const maxSilenceMs = 60_000;
/** Long enough for the caller to read the answer. */
const lingerMs = 1_000;

const malformed = new Refusal(
  "invalid_request",
  "Send a well-formed HTTP/1.1 request with at most 16 KiB of headers.",
);
/**
 * Also what a connection gets that was opened in advance and has carried nothing. Its client may send a request at that
 * moment: clients repeat a request after a 408, as RFC 9110 allows, and would report any other status to their users.
 */
const late = new Refusal("request_timeout", "Nothing was carried out. Send the whole request again, faster.");

/**
 * Headers of every answer. No browser takes it for another type than it says, and no cache keeps it, because most are
 * somebody's own; a document for everybody says so itself (`ServedText`). A content security policy is not among them:
 * a 304 would put it in the place of the policy of the page that the browser has.
 */
export const everyAnswer = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
} as const;

/** The options of the HTTP server's constructor: what happens before, or instead of, a route. */
export function httpOptionsOf(
  config: Pick<GatewayConfig, "DOCS_BASE_URL" | "TRUSTED_PROXIES" | "REQUEST_TIMEOUT_MS">,
): FastifyHttpOptions<Server> {
  const docsBaseUrl = config.DOCS_BASE_URL;
  return {
    bodyLimit: maxBodyBytes,
    // Always generated here, because two callers could send the same id.
    genReqId: () => newId("req"),
    requestIdHeader: false,
    // Fastify's own 503 while it closes is no problem+json: it has no code, and does not say whether to repeat a write.
    return503OnClosing: false,
    // Without trusted proxies the address is the socket's.
    trustProxy: config.TRUSTED_PROXIES === "" ? false : config.TRUSTED_PROXIES,
    // The router refused the URL itself, before any hook or filter.
    frameworkErrors: (error, request, reply) => {
      const instance = (request.raw.url ?? "").split("?", 1)[0] ?? "";
      const answer = problemOf(refusalOf(error) ?? internalError(), {
        requestId: request.id,
        instance,
        docsBaseUrl,
        writes: "Nothing",
      });
      void (reply as FastifyReply)
        .status(answer.status)
        .headers({ ...everyAnswer, ...answer.headers, "x-request-id": request.id })
        .send(JSON.stringify(answer.body));
    },
    requestTimeout: config.REQUEST_TIMEOUT_MS,
    http: { connectionsCheckingInterval: config.REQUEST_TIMEOUT_MS / 2 },
    // Closes a connection on which nothing moves, such as one whose caller does not read the answer.
    connectionTimeout: maxSilenceMs,
    // Input that is not HTTP, or does not arrive, is answered on the socket itself, in the same form.
    clientErrorHandler: (error, socket) => {
      if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
      socket.end(answerBeforeHttp(docsBaseUrl, error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? late : malformed));
      // Until it is closed, its request counts as under way; the caller may never close its side.
      setTimeout(() => socket.destroy(), lingerMs).unref();
    },
  };
}

function answerBeforeHttp(docsBaseUrl: string, refusal: Refusal): string {
  const { status, headers, body } = problemOf(refusal, {
    requestId: newId("req"),
    instance: "",
    docsBaseUrl,
    writes: "Nothing",
  });
  const text = JSON.stringify(body);
  const lines = [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ""}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `x-request-id: ${body.requestId}`,
    `content-length: ${String(Buffer.byteLength(text))}`,
    "connection: close",
  ];
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}
