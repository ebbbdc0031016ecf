import type { IncomingHttpHeaders } from "node:http";
import {
  Controller,
  Inject,
  NotFoundException,
  Param,
  Post,
  Req,
  Res,
  ServiceUnavailableException,
} from "@nestjs/common";
import type { FastifyReply } from "fastify";
import { isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { Turns } from "../../platform/handlers/turns.ts";
import { Database } from "../../platform/persistence/database.ts";
import { pipeline } from "../../platform/persistence/pipeline.ts";
import { limitToOneBook } from "../../platform/persistence/session-limits.ts";
import { ProcessClock } from "../process-clock.ts";
import { knownSecrets } from "../endpoints/domain/verification.ts";
import { findSigner } from "../endpoints/find-signer.ts";
import { readActiveSecrets } from "../endpoints/store/signing-secrets.ts";
import { EndpointResolver } from "../deliveries/endpoint-resolver.ts";
import { ScriptedAnswers } from "./scripted-answers.ts";
import { SinkWatch } from "./sink-watch.ts";
import { insertRequest } from "./store/sink-requests.ts";
import { countRequest, currentAnswer, type SinkRow } from "./store/test-sinks.ts";

/** Connections for all sinks: what they receive must not delay the deliveries of others. */
const maxConnections = 3;
/** The most requests that are recorded or wait for it. Each has up to half a mebibyte in memory. */
const maxRecording = 200;

interface RequestToSink {
  readonly headers: IncomingHttpHeaders;
  body?: unknown;
  rawBody?: Buffer;
}

/**
 * Receives requests to test sinks: stores raw body and headers, finds the endpoint and the secret that signed, answers
 * as scripted.
 */
@Controller("sinks")
export class ReceiveInSink {
  readonly #database: Database;
  readonly #endpoints: EndpointResolver;
  readonly #clock: ProcessClock;
  readonly #answers: ScriptedAnswers;
  readonly #watch: SinkWatch;
  /** Requests to one sink take turns anyway, at its row. */
  readonly #turns = new Turns<string>({ perKey: 1, total: maxConnections });
  #recording = 0;

  constructor(
    @Inject(Database) database: Database,
    @Inject(EndpointResolver) endpoints: EndpointResolver,
    @Inject(ProcessClock) clock: ProcessClock,
    @Inject(ScriptedAnswers) answers: ScriptedAnswers,
    @Inject(SinkWatch) watch: SinkWatch,
  ) {
    this.#database = database;
    this.#endpoints = endpoints;
    this.#clock = clock;
    this.#answers = answers;
    this.#watch = watch;
  }

  /** Answers as scripted; 404 for an unknown sink, 503 if too many requests wait. */
  @Post(":id")
  async receive(
    @Param("id") id: string,
    @Req() request: RequestToSink,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!isId("sink", id)) throw new NotFoundException();
    const sink = await this.#inTurn(id, () =>
      this.#record(uuidOf(id), flattenHeaders(request.headers), takeBody(request)),
    );
    if (sink === undefined) throw new NotFoundException();
    this.#watch.wake(sink.id, sink.received);
    await this.#answers.send(reply, currentAnswer(sink), sink.received);
  }

  async #inTurn<T>(id: string, record: () => Promise<T>): Promise<T> {
    if (this.#recording >= maxRecording) throw new ServiceUnavailableException();
    this.#recording += 1;
    try {
      return await this.#turns.run(id, record);
    } finally {
      this.#recording -= 1;
    }
  }

  #record(id: string, headers: Record<string, string>, body: Buffer): Promise<SinkRow | undefined> {
    return this.#database.transaction(async ({ sql }) => {
      const [, sink] = await pipeline(sql, limitToOneBook, (send) => countRequest(send, id));
      if (sink === undefined) return undefined;
      const now = this.#clock.now();
      const active = await readActiveSecrets(sql, sink.book_id, now);
      const secrets = knownSecrets(active, now, (row) => this.#endpoints.decryptIfPossible(row));
      await insertRequest(sql, {
        sinkId: id,
        number: sink.received,
        receivedAt: now,
        headers,
        body,
        verifiedBy: await findSigner(secrets, headers["x-service-signature"] ?? "", { body, sentWith: null }),
        answer: currentAnswer(sink),
      });
      return sink;
    });
  }
}

/**
 * Takes the body out of the request. The answer may take a minute, and neither the request nor a variable of what waits
 * for the answer must keep half a mebibyte for so long.
 */
function takeBody(request: RequestToSink): Buffer {
  const body = request.rawBody ?? Buffer.alloc(0);
  delete request.rawBody;
  delete request.body;
  return body;
}

/** Not stored: a browser adds them by itself, and another page can make it call a sink on the dashboard's host. */
const credentials = new Set(["cookie", "authorization", "x-api-key"]);

function flattenHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const pairs = Object.entries(headers)
    .filter(([name]) => !credentials.has(name))
    .map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]);
  return Object.fromEntries(pairs) as Record<string, string>;
}
