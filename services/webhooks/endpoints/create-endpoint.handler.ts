import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { currentVersion } from "../../../contracts/http/versions.ts";
import { defaultEventTypes, type WebhookEndpoint } from "../../../contracts/http/webhooks/webhooks.ts";
import { newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { CreateWebhookEndpoint } from "../../../contracts/messages/webhooks.ts";
import { HandlesRequest, type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { ProcessClock } from "../process-clock.ts";
import { CONFIG, type WebhooksConfig } from "../config.ts";
import { acceptedUrl } from "./domain/safe-target.ts";
import { maskedSecret, newSigningSecret } from "./domain/signature.ts";
import { lockAndCountEndpoints, insertEndpoint, type NewEndpoint, toEndpoint } from "./store/endpoints.ts";
import { readFirstSecret } from "./store/signing-secrets.ts";

type NewEndpointRequest = z.output<typeof CreateWebhookEndpoint.data>;
type CreatedEndpoint = z.output<typeof CreateWebhookEndpoint.reply>;

/** Registers an endpoint. It stays on the API version of its creation. Only the first answer shows its secret. */
@Controller()
export class CreateEndpoint {
  readonly #units: UnitOfWorkRunner;
  readonly #cipher: SecretCipher;
  readonly #clock: ProcessClock;
  readonly #config: WebhooksConfig;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(SecretCipher) cipher: SecretCipher,
    @Inject(ProcessClock) clock: ProcessClock,
    @Inject(CONFIG) config: WebhooksConfig,
  ) {
    this.#units = units;
    this.#cipher = cipher;
    this.#clock = clock;
    this.#config = config;
  }

  /** Refusals: `invalid_field` (the URL), `invalid_state_transition` (too many), `idempotency_key_reused`. */
  @HandlesRequest(CreateWebhookEndpoint)
  create(
    data: NewEndpointRequest,
    context: RequestContext,
  ): Promise<CreatedEndpoint | IdempotentReplay<CreatedEndpoint>> {
    const url = acceptedUrl(data.url, context.caller.mode, this.#config.ALLOWED_TARGET_CIDRS);
    return this.#units.runFor(context, async (unit) => {
      const operation = { name: "create-endpoint", resourceId: ({ id }: WebhookEndpoint) => id };
      const secret = newSigningSecret().text;
      // The answer that is stored for a repeat has the secret masked.
      const answer = await withIdempotency<CreatedEndpoint>(unit, context, operation, async () => ({
        ...(await this.#insert(unit, { ...data, url }, context, secret)),
        signingSecret: maskedSecret(secret),
      }));
      if (!(answer instanceof IdempotentReplay)) return { ...answer, signingSecret: secret };
      return new IdempotentReplay(await this.#withMaskedSecret(unit, answer.value));
    });
  }

  /** Answers that versions before this one have stored have no secret. */
  async #withMaskedSecret(
    { sql }: UnitOfWork,
    stored: WebhookEndpoint & Partial<CreatedEndpoint>,
  ): Promise<CreatedEndpoint> {
    const { signingSecret } = stored;
    if (signingSecret !== undefined) return { ...stored, signingSecret };
    const secret = this.#cipher.decrypt(await readFirstSecret(sql, uuidOf(stored.id)));
    return { ...stored, signingSecret: maskedSecret(secret) };
  }

  async #insert(
    unit: UnitOfWork,
    data: NewEndpointRequest,
    { caller }: RequestContext,
    secret: string,
  ): Promise<WebhookEndpoint> {
    await this.#rejectTooMany(unit, uuidOf(caller.book));
    const { keyId, ciphertext } = this.#cipher.encrypt(secret);
    const endpoint: NewEndpoint = {
      id: newUuid(),
      book: uuidOf(caller.book),
      mode: caller.mode,
      url: data.url,
      eventTypes: data.eventTypes ?? defaultEventTypes,
      description: data.description ?? null,
      metadata: data.metadata ?? {},
      status: "Enabled",
      maxAttempts: data.maxAttempts ?? null,
      backoffSeconds: data.backoffSeconds ?? null,
      ratePerSecond: data.ratePerSecond ?? null,
      disableAfterDays: data.disableAfterDays ?? null,
      apiVersion: data.apiVersion ?? currentVersion,
      createdAt: this.#clock.now(),
      secret: { keyId, ciphertext },
    };
    return toEndpoint(await insertEndpoint(unit.sql, endpoint));
  }

  /** Counts under a lock per book, so that concurrent requests can't exceed the limit together. */
  async #rejectTooMany({ sql }: UnitOfWork, book: string): Promise<void> {
    const max = this.#config.WEBHOOK_ENDPOINTS_PER_BOOK;
    if ((await lockAndCountEndpoints(sql, book)) < max) return;
    throw new Refusal(
      "invalid_state_transition",
      `This book has ${String(max)} webhook endpoints, the maximum. Delete one, subscribe one endpoint to several event types, or ask us for a higher limit.`,
      { context: { limit: max } },
    );
  }
}
