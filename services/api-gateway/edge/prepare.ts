import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyAdapter, NestFastifyApplication } from "@nestjs/platform-fastify";
import type { Logger } from "pino";
import { Refusal } from "../../../contracts/errors.ts";
import { newId } from "../../../contracts/ids.ts";
import { LOG } from "../../platform/platform.module.ts";
import { GATEWAY_CONFIG, type GatewayConfig } from "../config.ts";
import { authenticator } from "./authenticate.ts";
import { parseJsonBody } from "./json-body.ts";
import { KnownKeys } from "./known-keys.ts";
import { KnownRoutes } from "./known-routes.ts";
import { OpenApiDocument } from "./openapi.ts";
import { problemOf } from "./problem.ts";
import { ProblemFilter } from "./problem.filter.ts";
import { ValidatePipe } from "./validate.ts";

const largestBodyBytes = 1024 * 1024;

/**
 * Puts the edge around the routes, in the order in which a request meets it: its id, the key, the body's parser,
 * validation; and the filter that every failure leaves through. To be called before the application listens.
 */
export function prepareEdge(app: NestFastifyApplication): void {
  const config = app.get<GatewayConfig>(GATEWAY_CONFIG);
  const fastify = app.getHttpAdapter().getInstance();
  const routes = new KnownRoutes();
  fastify.addHook("onRoute", (route) => routes.add(route.url, route.method));
  nameRequests(app);
  fastify.decorateRequest("knownKey", null);
  fastify.addHook("onRequest", authenticator(app.get(KnownKeys), trustedProxiesOf(config)));
  takeOnlyJson(app);
  app.useGlobalPipes(new ValidatePipe());
  app.useGlobalFilters(new ProblemFilter(routes, config.DOCS_BASE_URL, app.get<Logger>(LOG)));
  answerBrokenHttp(app, config.DOCS_BASE_URL);
  app.get(OpenApiDocument).describe(app);
}

function trustedProxiesOf(config: GatewayConfig): string[] {
  return config.TRUSTED_PROXIES.split(",").map((block) => block.trim()).filter((block) => block !== "");
}

/**
 * Every request gets an id of ours, in `X-Request-Id`, in problems and in the log. One that comes from outside is
 * not taken over: two callers could send the same.
 */
function nameRequests(app: NestFastifyApplication): void {
  const adapter = app.getHttpAdapter() as unknown as FastifyAdapter;
  adapter.getInstance().setGenReqId(() => newId("req"));
  adapter.setOnRequestHook((request, reply, done) => {
    // The log's middleware sees only Node's own request, and takes the id that it finds there.
    Object.assign(request.raw, { id: request.id });
    reply.header("x-request-id", request.id);
    done();
  });
}

/** Nest and Fastify bring parsers for forms and plain text: here they are 415, like every other type. */
function takeOnlyJson(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeAllContentTypeParsers();
  app.useBodyParser("application/json", { bodyLimit: largestBodyBytes }, (_request, body, done) => {
    done(null, parseJsonBody(body));
  });
  app.useBodyParser("application/x-www-form-urlencoded", { bodyLimit: largestBodyBytes }, (_request, _body, done) => {
    done(new Refusal("unsupported_media_type", "Send the body with Content-Type: application/json."));
  });
}

/** What is not even HTTP never reaches a route; it is answered on the bare socket, in the same form. */
function answerBrokenHttp(app: NestFastifyApplication, docsBaseUrl: string): void {
  const server = app.getHttpServer();
  // Fastify has put an answer of its own there.
  server.removeAllListeners("clientError");
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const refusal = new Refusal("invalid_request", "Send a well-formed HTTP/1.1 request with at most 16 KiB of headers.");
    const { status, headers, body } = problemOf(refusal, { requestId: newId("req"), instance: "", docsBaseUrl });
    const text = JSON.stringify(body);
    const lines = [
      `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ""}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `x-request-id: ${body.requestId}`,
      `content-length: ${String(Buffer.byteLength(text))}`,
      "connection: close",
    ];
    socket.end(`${lines.join("\r\n")}\r\n\r\n${text}`);
  });
}
