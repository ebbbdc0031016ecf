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
import { Database } from "../../platform/persistence/database.ts";
import { Clock } from "../clock.ts";
import { serviceSignature } from "../endpoints/domain/signature.ts";
import { Receivers } from "../deliveries/endpoint-resolver.ts";
import { countRequest, keepRequest, type SinkRow } from "./store/test-sinks.ts";

/** The door of the test sinks: records raw bytes and headers, says who signed them, answers as scripted. */
@Controller("sinks")
export class ReceiveInSink {
  readonly #database: Database;
  readonly #receivers: Receivers;
  readonly #clock: Clock;

  constructor(
    @Inject(Database) database: Database,
    @Inject(Receivers) receivers: Receivers,
    @Inject(Clock) clock: Clock,
  ) {
    this.#database = database;
    this.#receivers = receivers;
    this.#clock = clock;
  }

  /** Answers the scripted status, the last one for ever; 404 for a sink that is not there. */
  @Post(":id")
  async receive(
    @Param("id") id: string,
    @Req() request: RawBodyRequest<{ headers: IncomingHttpHeaders }>,
    @Res({ passthrough: true }) reply: { status(code: number): unknown },
  ): Promise<{ received: number }> {
    const body = request.rawBody ?? Buffer.alloc(0);
    const headers = flat(request.headers);
    const sink = isId("sink", id) ? await this.#record(uuidOf(id), headers, body) : undefined;
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
      const sink = await countRequest(sql, id);
      if (sink === undefined) return undefined;
      const now = this.#clock.now();
      const receivers = (await this.#receivers.ofBooks(sql, [sink.book_id], now)).get(sink.book_id) ?? [];
      const signatures = (headers["x-service-signature"] ?? "").split(",");
      const signer = receivers.find(({ secrets }) =>
        secrets.some((secret) => signatures.some((given) => same(given, serviceSignature(secret, body)))),
      );
      await keepRequest(sql, {
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

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : (value ?? ""),
  ]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** Compares bytes, not characters: one beyond ASCII counts once in a text's length and twice in its bytes. */
function same(given: string, expected: string): boolean {
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(given)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}
