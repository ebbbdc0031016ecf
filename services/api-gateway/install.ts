import type { FastifyAdapter, NestFastifyApplication } from "@nestjs/platform-fastify";
import type { Logger } from "pino";
import { Refusal } from "../../contracts/errors.ts";
import { UnitOfWorkRunner } from "../platform/handlers/unit-of-work.ts";
import { LOG } from "../platform/platform.module.ts";
import { GATEWAY_CONFIG, type GatewayConfig, sessionSettingsOf } from "./config.ts";
import { serveDashboard } from "./dashboard/serve-dashboard.ts";
import { recordOperation } from "./audit/record-operation.ts";
import { authenticator } from "./auth/authenticate.ts";
import { readJsonBody } from "./http/json-body.ts";
import { ConfirmedOperations, requireConfirmation } from "./passkeys/confirm-operation.ts";
import { compressReads } from "./http/compression.ts";
import { everyAnswer, maxBodyBytes } from "./http/options.ts";
import { KeyUsage, SessionUsage } from "./auth/key-usage.worker.ts";
import { KeyCache, SessionCache } from "./auth/key-cache.ts";
import { KnownRoutes } from "./http/known-routes.ts";
import { publishSettingsChanged } from "./live/publish-settings-changed.ts";
import { OpenApiDocument } from "./document/openapi.ts";
import { ProblemFilter } from "./http/problem.filter.ts";
import { ConcurrencyLimit } from "../platform/rpc/concurrency-limit.ts";
import { RateLimits } from "./auth/rate-limit.ts";
import { rejectUnknownParameters, ValidatePipe } from "./http/validate.ts";
import { recordRefused, RefusedRequests } from "./refused-requests/refused-requests.worker.ts";
import { VersionCounts } from "./auth/version-counts.worker.ts";
import { deprecationHeaders } from "./http/versioning.ts";

/**
 * Installs hooks, parsers, validation and the error filter around the routes, in the order in which a request passes
 * them. Call it before the application listens.
 */
export function installHttp(app: NestFastifyApplication): void {
  const config = app.get<GatewayConfig>(GATEWAY_CONFIG);
  const fastify = app.getHttpAdapter().getInstance();
  const routes = new KnownRoutes();
  const confirmed = app.get(ConfirmedOperations);
  fastify.addHook("onRoute", ({ url, method, config }) => {
    routes.add(url, method);
    confirmed.add(config);
  });
  addHeaders(app);
  addDeprecationHeaders(fastify, config);
  fastify.decorateRequest("caller", null);
  fastify.decorateRequest("session", null);
  fastify.decorateRequest("identified", null);
  fastify.addHook(
    "onRequest",
    authenticator({
      keys: app.get(KeyCache),
      sessions: app.get(SessionCache),
      sessionSettings: sessionSettingsOf(config),
      limits: app.get(RateLimits),
      underWay: app.get(ConcurrencyLimit),
      usage: app.get(KeyUsage),
      sessionUsage: app.get(SessionUsage),
      versions: app.get(VersionCounts),
    }),
  );
  fastify.addHook("onRequest", rejectUnknownParameters);
  // After the body is parsed: the confirmation is of what the body says.
  fastify.addHook("preHandler", requireConfirmation(app.get(UnitOfWorkRunner)));
  fastify.addHook("onSend", recordOperation(app.get(UnitOfWorkRunner), app.get<Logger>(LOG)));
  fastify.addHook("onSend", compressReads);
  fastify.addHook("onResponse", publishSettingsChanged(app.get(UnitOfWorkRunner), app.get<Logger>(LOG)));
  fastify.addHook("onResponse", recordRefused(app.get(RefusedRequests)));
  acceptOnlyJson(app);
  app.useGlobalPipes(new ValidatePipe());
  app.useGlobalFilters(new ProblemFilter(routes, config.DOCS_BASE_URL, app.get<Logger>(LOG)));
  serveDashboard(fastify);
  app.get(OpenApiDocument).describe(app);
}

/** Runs before authentication, so that refused callers get the headers too. An unknown name stops the start. */
function addDeprecationHeaders(
  fastify: ReturnType<ReturnType<NestFastifyApplication["getHttpAdapter"]>["getInstance"]>,
  { DEPRECATIONS, API_VERSIONS }: GatewayConfig,
): void {
  const known = new Set<string | undefined>(API_VERSIONS);
  fastify.addHook("onRoute", ({ config }) => {
    known.add(config?.operation);
  });
  fastify.addHook("onReady", (done) => {
    const unknown = Object.keys(DEPRECATIONS).filter((name) => !known.has(name));
    done(
      unknown.length === 0
        ? undefined
        : new Error(`DEPRECATIONS names versions or operations that are not served: ${unknown.join(", ")}`),
    );
  });
  fastify.addHook("onRequest", deprecationHeaders(DEPRECATIONS));
}

/** Every answer has the request's id and these headers, including those that middleware or a hook sends. */
function addHeaders(app: NestFastifyApplication): void {
  const adapter = app.getHttpAdapter() as unknown as FastifyAdapter;
  adapter.setOnRequestHook((request, reply, done) => {
    reply.headers({ ...everyAnswer, "x-request-id": request.id });
    done();
  });
}

/** Nest and Fastify also parse forms and plain text. Here those are refused with 415, like every other type. */
function acceptOnlyJson(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeAllContentTypeParsers();
  app.useBodyParser("application/json", { bodyLimit: maxBodyBytes }, ({ headers }, body, done) => {
    done(null, readJsonBody(body, headers));
  });
  app.useBodyParser(
    "application/x-www-form-urlencoded",
    { bodyLimit: maxBodyBytes },
    (_request, _body, done) => {
      done(new Refusal("unsupported_media_type", "Send the body with Content-Type: application/json."));
    },
  );
}
