import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import type { WebhookDiagnosis } from "../../../contracts/http/webhooks/diagnosis.ts";
import { type EventId, idOf, isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { DiagnoseWebhook } from "../../../contracts/messages/webhooks.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { ProcessClock } from "../process-clock.ts";
import { EndpointResolver } from "../deliveries/endpoint-resolver.ts";
import { knownSecrets } from "../endpoints/domain/verification.ts";
import { findSigner } from "../endpoints/find-signer.ts";
import { readLatestSecrets } from "../endpoints/store/signing-secrets.ts";
import { parseEndpointId } from "../endpoints/query-endpoints.handler.ts";
import { readEndpoint } from "../endpoints/store/endpoints.ts";
import { diagnose, explanations } from "./domain/diagnose.ts";
import { readSentBodies } from "./store/sent-bodies.ts";

/** Tells a tenant why a signature does or does not verify. Shows no secret, and compares only with the book's own. */
@Controller()
export class DiagnoseWebhookHandler {
  readonly #database: Database;
  readonly #endpoints: EndpointResolver;
  readonly #clock: ProcessClock;

  constructor(
    @Inject(Database) database: Database,
    @Inject(EndpointResolver) endpoints: EndpointResolver,
    @Inject(ProcessClock) clock: ProcessClock,
  ) {
    this.#database = database;
    this.#endpoints = endpoints;
    this.#clock = clock;
  }

  /** Refusals: `not_found`, also for another book's endpoint or a deleted one. */
  @HandlesRequest(DiagnoseWebhook)
  async diagnose(
    { endpointId: shownId, body, header, timestamp, id }: z.output<typeof DiagnoseWebhook.data>,
    { caller }: RequestContext,
  ): Promise<WebhookDiagnosis> {
    const { sql } = this.#database;
    const book = uuidOf(caller.book);
    const endpointId = parseEndpointId(shownId);
    if ((await readEndpoint(sql, book, endpointId)) === undefined) throw notFound("webhook endpoint");
    const now = this.#clock.now();
    // Without one of the endpoint's own secrets the verdict could be wrong. Those of others must not prevent it.
    const secrets = knownSecrets(await readLatestSecrets(sql, book), now, (row) =>
      row.endpoint_id === endpointId ? this.#endpoints.decrypt(row) : this.#endpoints.decryptIfPossible(row),
    );
    const webhookId = id ?? idIn(body);
    const eventId = webhookId !== undefined && isId("evt", webhookId) ? webhookId : undefined;
    const sent = eventId === undefined ? [] : await readSentBodies(sql, book, uuidOf(eventId));
    // Its own secrets first: if endpoints share one, the signature is this endpoint's.
    const inOrder = secrets.toSorted(
      (a, b) => Number(b.endpointId === endpointId) - Number(a.endpointId === endpointId),
    );
    const sentWith = webhookId === undefined || timestamp === undefined ? null : { id: webhookId, timestamp };
    const { signer, ...diagnosis } = await diagnose(
      { endpointId, header, body: Buffer.from(body, "utf8"), timestamp },
      {
        signerOf: (signed) => findSigner(inOrder, header, { body: signed, sentWith }),
        sentBodies: sent.map((text) => Buffer.from(text, "utf8")),
        now,
      },
    );
    return {
      ...diagnosis,
      explanation: explanations[diagnosis.verdict],
      secret: signer === undefined ? null : { version: signer.version, age: signer.age },
      signedByEndpointId: signer === undefined ? null : idOf("we", signer.endpointId),
      eventId: sent.length === 0 ? null : (eventId as EventId),
    };
  }
}

/** The event's id in a body that is JSON. */
function idIn(body: string): string | undefined {
  try {
    const { id } = JSON.parse(body) as { id?: unknown };
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined; // no JSON, or null
  }
}
