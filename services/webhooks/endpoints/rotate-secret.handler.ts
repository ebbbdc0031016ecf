import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type {
  WebhookSecretRotated,
  WebhookSecrets,
} from "../../../contracts/http/webhooks/endpoint-secrets.ts";
import { idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { RetireWebhookSecrets, RotateWebhookSecret } from "../../../contracts/messages/webhooks.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { HandlesRequest, type RequestContext, IdempotentReplay } from "../../platform/handlers/decorators.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { ProcessClock } from "../process-clock.ts";
import { maskedSecret, newSigningSecret } from "./domain/signature.ts";
import { parseEndpointId } from "./query-endpoints.handler.ts";
import { lockEndpoint } from "./store/endpoints.ts";
import {
  type ActiveSecretRow,
  addSecret,
  listActiveSecrets,
  retireOlderSecrets,
} from "./store/signing-secrets.ts";

const maxActiveSecrets = 5;
const hourMs = 3_600_000;
const operationOf = (name: string) => ({ name, resourceId: ({ endpointId }: WebhookSecrets) => endpointId });

/**
 * Replaces the secrets of an endpoint. Its row is locked, and the newest secret is never given an end, so that an
 * endpoint has an active one until it is deleted.
 */
@Controller()
export class RotateSecret {
  readonly #units: UnitOfWorkRunner;
  readonly #cipher: SecretCipher;
  readonly #clock: ProcessClock;

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(SecretCipher) cipher: SecretCipher,
    @Inject(ProcessClock) clock: ProcessClock,
  ) {
    this.#units = units;
    this.#cipher = cipher;
    this.#clock = clock;
  }

  /**
   * Adds the newest secret; the others go on signing for `overlapHours`, or less if they end before. Only the first
   * answer shows it. Refusals: `not_found`, `webhook_secret_limit`, `idempotency_key_reused`.
   */
  @HandlesRequest(RotateWebhookSecret)
  rotate(
    { id, overlapHours }: z.output<typeof RotateWebhookSecret.data>,
    context: RequestContext,
  ): Promise<WebhookSecretRotated | IdempotentReplay<WebhookSecretRotated>> {
    const secret = newSigningSecret().text;
    return this.#units.runFor(context, async (unit) => {
      const operation = operationOf("rotate-secret-of-endpoint");
      // The answer that is stored for a repeat has the secret masked.
      const answer = await withIdempotency<WebhookSecretRotated>(unit, context, operation, async () => {
        const endpointId = await lock(unit, context, id);
        const now = this.#clock.now();
        const retiresAt = new Date(now.getTime() + overlapHours * hourMs);
        const active = await addSecret(unit.sql, endpointId, this.#cipher.encrypt(secret), {
          now,
          retiresAt,
        });
        if (active.length > maxActiveSecrets) throw tooManySecrets(endpointId);
        return { ...toSecrets(endpointId, active), signingSecret: maskedSecret(secret) };
      });
      return answer instanceof IdempotentReplay ? answer : { ...answer, signingSecret: secret };
    });
  }

  /**
   * Ends all secrets but the newest at once. Refusals: `not_found`; `invalid_state_transition` if only one is left;
   * `idempotency_key_reused`.
   */
  @HandlesRequest(RetireWebhookSecrets)
  retire(
    { id }: z.output<typeof RetireWebhookSecrets.data>,
    context: RequestContext,
  ): Promise<WebhookSecrets | IdempotentReplay<WebhookSecrets>> {
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operationOf("retire-secrets-of-endpoint"), async () => {
        const endpointId = await lock(unit, context, id);
        const now = this.#clock.now();
        const retired = await retireOlderSecrets(unit.sql, endpointId, now);
        if (retired === 0) throw onlyOneSecret(endpointId);
        return toSecrets(endpointId, await listActiveSecrets(unit.sql, endpointId, now));
      }),
    );
  }
}

async function lock({ sql }: UnitOfWork, { caller }: RequestContext, id: string): Promise<string> {
  const endpoint = await lockEndpoint(sql, uuidOf(caller.book), parseEndpointId(id));
  if (endpoint === undefined) throw notFound("webhook endpoint");
  return endpoint.id;
}

function toSecrets(endpointId: string, active: readonly ActiveSecretRow[]): WebhookSecrets {
  return {
    endpointId: idOf("we", endpointId),
    activeSecrets: active.map((secret) => ({
      createdAt: secret.created_at.toISOString(),
      retiresAt: secret.retires_at?.toISOString() ?? null,
    })),
  };
}

function tooManySecrets(endpointId: string): Refusal {
  const resourceId = idOf("we", endpointId);
  return new Refusal(
    "webhook_secret_limit",
    `The endpoint has ${String(maxActiveSecrets)} active secrets, the maximum. End the older ones with POST /v1/webhook-endpoints/${resourceId}/retire-previous-secret, or wait until one ends.`,
    { context: { resourceId, limit: maxActiveSecrets } },
  );
}

function onlyOneSecret(endpointId: string): Refusal {
  const resourceId = idOf("we", endpointId);
  return new Refusal(
    "invalid_state_transition",
    `Only one secret is active, and it signs every delivery. Replace it with POST /v1/webhook-endpoints/${resourceId}/rotate-secret.`,
    { context: { resourceId } },
  );
}
