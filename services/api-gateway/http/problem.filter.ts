import { type ArgumentsHost, Catch, type ExceptionFilter } from "@nestjs/common";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { Refusal } from "../../../contracts/errors.ts";
import type { KnownRoutes } from "./known-routes.ts";
import { internalError, problemOf, refusalOf, type Writes } from "./problem.ts";

/**
 * Answers every failure with problem+json: refusals of the services, of the gateway and of Fastify, and bugs. Bugs are
 * logged in full and shown only as `internal_error` with the request id.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #routes: KnownRoutes;
  readonly #docsBaseUrl: string;
  readonly #log: Logger;

  constructor(routes: KnownRoutes, docsBaseUrl: string, log: Logger) {
    this.#routes = routes;
    this.#docsBaseUrl = docsBaseUrl;
    this.#log = log;
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const meant = refusalOf(error);
    const refusal = this.#wrongMethod(request, reply, meant) ?? meant ?? this.#bug(error, request);
    request.logFields = { ...request.logFields, code: refusal.code };
    const answer = problemOf(refusal, {
      requestId: request.id,
      instance: request.url.split("?", 1)[0] ?? "",
      docsBaseUrl: this.#docsBaseUrl,
      writes: writesOf(request),
    });
    void reply.status(answer.status).headers(answer.headers).send(JSON.stringify(answer.body));
  }

  /** The path has a route for other methods, or `:id` matched a fixed segment such as `preview`. */
  #wrongMethod(request: FastifyRequest, reply: FastifyReply, meant?: Refusal): Refusal | undefined {
    if (!request.is404 && meant?.code !== "not_found") return undefined;
    const methods = this.#routes.methodsOf(request.url);
    if (methods.length === 0 || methods.includes(request.method)) return undefined;
    const allow = methods.join(", ");
    reply.header("allow", allow);
    return new Refusal("method_not_allowed", `Use one of these methods: ${allow}.`);
  }

  #bug(error: unknown, request: FastifyRequest): Refusal {
    this.#log.error(
      { err: error, requestId: request.id, method: request.method, route: request.routeOptions.url },
      "a request failed",
    );
    return internalError();
  }
}

function writesOf({ routeOptions, headers }: FastifyRequest): Writes {
  if (routeOptions.config.writes !== true) return "Nothing";
  return headers["idempotency-key"] === undefined ? "Unkeyed" : "Keyed";
}
