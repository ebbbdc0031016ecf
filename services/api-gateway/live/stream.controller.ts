import { Controller, Get, Inject, Res } from "@nestjs/common";
import { ApiExcludeController } from "@nestjs/swagger";
import { RouteConfig } from "@nestjs/platform-fastify";
import type { FastifyReply } from "fastify";
import { Refusal } from "../../../contracts/errors.ts";
import { callerOfSession, isOver, modeNamed } from "../auth/caller-of-session.ts";
import { SessionCache } from "../auth/key-cache.ts";
import { hashOfToken, tokenOf } from "../auth/session-cookie.ts";
import { GATEWAY_CONFIG, type GatewayConfig } from "../config.ts";
import { type HttpContext, Http } from "../operation/http-context.ts";
import { OpenStreams } from "./open-streams.ts";

/** What changes in a book, for the open screens of a person. Not in the OpenAPI document: machines take webhooks. */
@ApiExcludeController()
@Controller("v1/stream")
export class StreamController {
  readonly #streams: OpenStreams;
  readonly #sessions: SessionCache;
  readonly #config: GatewayConfig;

  constructor(
    @Inject(OpenStreams) streams: OpenStreams,
    @Inject(SessionCache) sessions: SessionCache,
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
  ) {
    this.#streams = streams;
    this.#sessions = sessions;
    this.#config = config;
  }

  /** Server-Sent Events until the session ends. Refusals: `rate_limited` for a person's sixth, `no_role_in_mode`. */
  @Get()
  @RouteConfig({ operation: "stream", access: "session", staysOpen: true })
  open(@Http() { request }: HttpContext, @Res() reply: FastifyReply): void {
    if (request.method === "HEAD") {
      reply.header("allow", "GET");
      throw new Refusal("method_not_allowed", "Use GET: a stream's headers alone say nothing.");
    }
    const mode = modeNamed(request.headers);
    const { caller, session } = request;
    const token = tokenOf(request.headers.cookie);
    if (caller === null || session === null || typeof token !== "string") {
      throw new Error("a stream was opened without a session");
    }
    const hash = hashOfToken(token);
    const isStillSignedIn = async () => {
      const now = await this.#sessions.byHash(hash);
      if (now === undefined || !now.tenantActive || now.roles[mode].length === 0) return false;
      // An open stream is no use of the session: a screen that nobody looks at signs its person out.
      return !isOver(now, this.#config.SESSION_IDLE_MINUTES);
    };
    for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? "");
    this.#streams.open(
      { person: session.person, book: callerOfSession(session, mode).book, isStillSignedIn },
      reply.raw,
    );
    reply.hijack();
  }
}
