import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { currentVersion } from "../../../contracts/http/versions.ts";
import type { WebhookEndpoint } from "../../../contracts/http/webhooks/webhooks.ts";
import { newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { CreateWebhookEndpoint } from "../../../contracts/messages/webhooks.ts";
import { HandlesRequest, type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { AccountNumberCipher } from "../../platform/encryption/account-number-cipher.ts";
import { Clock } from "../clock.ts";
import { CONFIG, type WebhooksConfig } from "../config.ts";
import { faultOfUrl } from "./domain/safe-target.ts";
import { newSigningSecret } from "./domain/signature.ts";
import { defaultEventTypes } from "./domain/subscription.ts";
import {
  countUnderLock,
  firstSecretOf,
  insertEndpoint,
  type NewEndpoint,
  toEndpoint,
} from "./store/endpoints.ts";

type Wanted = z.output<typeof CreateWebhookEndpoint.data>;
type Created = z.output<typeof CreateWebhookEndpoint.reply>;

/** Registers an endpoint, pinned to the version of the API that it was created on, with a secret that only this answer shows. */
@Controller()
export class CreateEndpoint {
  readonly #units: UnitOfWorkRunner;
  readonly #seals: AccountNumberCipher;
  readonly #clock: Clock;
  readonly #config: WebhooksConfig;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(AccountNumberCipher) seals: AccountNumberCipher,
    @Inject(Clock) clock: Clock,
    @Inject(CONFIG) config: WebhooksConfig,
  ) {
    this.#units = units;
    this.#seals = seals;
    this.#clock = clock;
    this.#config = config;
  }

  /** Refusals: `invalid_field` (the URL), `invalid_state_transition` (too many), `idempotency_key_reused`. */
  @HandlesRequest(CreateWebhookEndpoint)
  create(data: Wanted, ask: RequestContext): Promise<Created | IdempotentReplay<Created>> {
    this.#refuseUnsafe(data.url, ask);
    return this.#units.run(async (unit) => {
      const operation = { name: "create-endpoint", resourceId: ({ id }: WebhookEndpoint) => id };
      const answer = await withIdempotency(unit, ask, operation, () => this.#insert(unit, data, ask));
      // The stored answer holds no secret; a replay shows it again from where it rests sealed.
      const endpoint = answer instanceof IdempotentReplay ? answer.value : answer;
      const signingSecret = this.#seals.decrypt(await firstSecretOf(unit.sql, uuidOf(endpoint.id)));
      const shown = { ...endpoint, signingSecret };
      return answer instanceof IdempotentReplay ? new IdempotentReplay(shown) : shown;
    });
  }

  async #insert(unit: UnitOfWork, data: Wanted, { caller }: RequestContext): Promise<WebhookEndpoint> {
    await this.#refuseTooMany(unit, uuidOf(caller.book));
    const { keyId, ciphertext } = this.#seals.encrypt(newSigningSecret().text);
    const endpoint: NewEndpoint = {
      id: newUuid(),
      book: uuidOf(caller.book),
      mode: caller.mode,
      // Normalised: `HTTPS://…` is https too, and the database looks at the text.
      url: new URL(data.url).href,
      eventTypes: data.eventTypes ?? defaultEventTypes,
      description: data.description ?? null,
      metadata: data.metadata ?? {},
      apiVersion: data.apiVersion ?? currentVersion,
      createdAt: this.#clock.now(),
      secret: { keyId, ciphertext },
    };
    return toEndpoint(await insertEndpoint(unit.sql, endpoint));
  }

  /** Counted under a lock of the book's own, so that requests that come at once can't pass the bound together. */
  async #refuseTooMany({ sql }: UnitOfWork, book: string): Promise<void> {
    const most = this.#config.WEBHOOK_ENDPOINTS_PER_BOOK;
    if ((await countUnderLock(sql, book)) < most) return;
    throw new Refusal(
      "invalid_state_transition",
      `This book has ${String(most)} webhook endpoints, and may have no more. Let one endpoint receive several event types, or ask us for a higher bound.`,
      { context: { limit: most } },
    );
  }

  #refuseUnsafe(url: string, { caller }: RequestContext): void {
    const fault = faultOfUrl(url, caller.mode, this.#config.ALLOWED_TARGET_CIDRS);
    if (fault === null) return;
    throw new Refusal(
      "invalid_field",
      `The url ${fault}. Send one that receivers on the internet can have.`,
      {
        errors: [{ pointer: "/url", code: "invalid_field", message: fault }],
      },
    );
  }
}
