import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { patchedMetadata } from "../../../contracts/http/patched-metadata.ts";
import type { WebhookEndpoint, WebhookEndpointPatch } from "../../../contracts/http/webhooks/webhooks.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { UpdateWebhookEndpoint } from "../../../contracts/messages/webhooks.ts";
import { notFound } from "../../../contracts/not-found.ts";
import {
  HandlesRequest,
  type RequestContext,
  type IdempotentReplay,
} from "../../platform/handlers/decorators.ts";
import { withIdempotency } from "../../platform/rpc/idempotency.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { CONFIG, type WebhooksConfig } from "../config.ts";
import { acceptedUrl } from "./domain/safe-target.ts";
import { parseEndpointId } from "./query-endpoints.handler.ts";
import {
  type EndpointRow,
  type EndpointSettings,
  lockEndpoint,
  toEndpoint,
  updateSettings,
} from "./store/endpoints.ts";

/**
 * Changes the settings of an endpoint. The open deliveries of a disabled one are not claimed, and wait as they are. A
 * new URL is judged as at creation; an attempt that is under way ends on the old one.
 */
@Controller()
export class UpdateEndpoint {
  readonly #units: UnitOfWorkRunner;
  readonly #config: WebhooksConfig;

  constructor(@Inject(UnitOfWorkRunner) units: UnitOfWorkRunner, @Inject(CONFIG) config: WebhooksConfig) {
    this.#units = units;
    this.#config = config;
  }

  /** Refusals: `not_found`; `invalid_field` (the URL, the metadata); `idempotency_key_reused`. */
  @HandlesRequest(UpdateWebhookEndpoint)
  update(
    { id, change }: z.output<typeof UpdateWebhookEndpoint.data>,
    context: RequestContext,
  ): Promise<WebhookEndpoint | IdempotentReplay<WebhookEndpoint>> {
    const operation = { name: "update-endpoint", resourceId: (endpoint: WebhookEndpoint) => endpoint.id };
    return this.#units.runFor(context, (unit) =>
      withIdempotency(unit, context, operation, async () => {
        const stored = await lockEndpoint(unit.sql, uuidOf(context.caller.book), parseEndpointId(id));
        if (stored === undefined) throw notFound("webhook endpoint");
        const settings = patched(stored, this.#withAcceptedUrl(change, context));
        return toEndpoint(await updateSettings(unit.sql, stored.id, settings));
      }),
    );
  }

  #withAcceptedUrl({ url, ...rest }: WebhookEndpointPatch, { caller }: RequestContext): WebhookEndpointPatch {
    if (url === undefined) return rest;
    return { ...rest, url: acceptedUrl(url, caller.mode, this.#config.ALLOWED_TARGET_CIDRS) };
  }
}

/** What is absent stays, and null removes a setting. */
function patched(stored: EndpointRow, patch: WebhookEndpointPatch): EndpointSettings {
  const kept = <T>(sent: T | undefined, value: T): T => (sent === undefined ? value : sent);
  return {
    url: kept(patch.url, stored.url),
    eventTypes: kept<readonly string[]>(patch.eventTypes, stored.event_types),
    description: kept(patch.description, stored.description),
    metadata: patchedMetadata(stored.metadata, patch.metadata),
    status: kept(patch.status, stored.status),
    maxAttempts: kept(patch.maxAttempts, stored.max_attempts),
    backoffSeconds: kept(patch.backoffSeconds, stored.backoff_seconds),
    ratePerSecond: kept(patch.ratePerSecond, stored.rate_per_second),
    disableAfterDays: kept(patch.disableAfterDays, stored.disable_after_days),
  };
}
