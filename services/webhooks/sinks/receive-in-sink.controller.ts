import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import {
  Controller,
  Inject,
  NotFoundException,
  Param,
  Post,
  type RawBodyRequest,
  Req,
  Res,
} from "@nestjs/common";
import { isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { Turns } from "../../platform/handlers/turns.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pipeline } from "../../platform/persistence/pipeline.ts";
import { limitToOneBook } from "../../platform/persistence/session-limits.ts";
import { Clock } from "../clock.ts";
import { serviceSignature } from "../endpoints/domain/signature.ts";
import { EndpointResolver } from "../deliveries/endpoint-resolver.ts";
import { countRequest, insertRequest, type SinkRow } from "./store/test-sinks.ts";

/** Connections for all sinks: what they receive must not delay the deliveries of others. */
const maxConnections = 3;

/**
 * Receives requests to test sinks: stores raw body and headers, finds the endpoint that signed, answers as scripted.
 */
@Controller("sinks")
export class ReceiveInSink {
  readonly #database: Database;
  readonly #endpoints: EndpointResolver;
  readonly #clock: Clock;
  /** Requests to one sink take turns anyway, at its row. */
  readonly #turns = new Turns<string>({ perKey: 1, total: maxConnections });

  constructor(
    @Inject(Database) database: Database,
    @Inject(EndpointResolver) endpoints: EndpointResolver,
    @Inject(Clock) clock: Clock,
  ) {
    this.#database = database;
    this.#endpoints = endpoints;
    this.#clock = clock;
  }

  /** Answers the scripted statuses in order and repeats the last one; 404 for an unknown sink. */
  @Post(":id")
  async receive(
    @Param("id") id: string,
    @Req() request: RawBodyRequest<{ headers: IncomingHttpHeaders }>,
    @Res({ passthrough: true }) reply: { status(code: number): unknown },
  ): Promise<{ received: number }> {
    const body = request.rawBody ?? Buffer.alloc(0);
    const headers = flattenHeaders(request.headers);
    const sink = isId("sink", id)
      ? await this.#turns.run(id, () => this.#record(uuidOf(id), headers, body))
      : undefined;
    if (sink === undefined) throw new NotFoundException();
    if (sink.delay_ms > 0) await this.#pause(sink.delay_ms);
    reply.status(scriptedStatus(sink));
    return { received: sink.received };
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(delayMs, resolve);
    });
  }

  #record(id: string, headers: Record<string, string>, body: Buffer): Promise<SinkRow | undefined> {
    return this.#database.transaction(async ({ sql }) => {
      const [, sink] = await pipeline(sql, limitToOneBook, (send) => countRequest(send, id));
      if (sink === undefined) return undefined;
      const now = this.#clock.now();
      const endpoints = (await this.#endpoints.ofBooks(sql, [sink.book_id], now)).get(sink.book_id) ?? [];
      const signatures = (headers["x-service-signature"] ?? "").split(",");
      const signer = endpoints.find(({ secrets }) =>
        secrets.some((secret) =>
          signatures.some((given) => isSameSignature(given, serviceSignature(secret, body))),
        ),
      );
      await insertRequest(sql, {
        sinkId: id,
        number: sink.received,
        receivedAt: now,
        headers,
        body,
        verifiedBy: signer?.endpointId ?? null,
        respondedStatus: scriptedStatus(sink),
      });
      return sink;
    });
  }
}

function scriptedStatus(sink: SinkRow): number {
  return sink.respond[Math.min(sink.received, sink.respond.length) - 1] ?? 200;
}

function flattenHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : (value ?? ""),
  ]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** Compares lengths in bytes, because `timingSafeEqual` throws on unequal ones and text may contain non-ASCII. */
function isSameSignature(given: string, expected: string): boolean {
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(given)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}
