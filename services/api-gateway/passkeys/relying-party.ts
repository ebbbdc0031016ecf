import type { FastifyRequest } from "fastify";
import { Refusal } from "../../../contracts/errors.ts";
import { type GatewayConfig, sessionSettingsOf } from "../config.ts";

/** Whom a passkey is for (WebAuthn §5.4.2). */
export interface RelyingParty {
  readonly name: string;
  /** Origin of our page. */
  readonly origin: string;
  /** Its host, which the browser binds the passkey to. */
  readonly id: string;
}

/**
 * The configured origin; in a sandbox without one, the origin that the browser named in its checked request. Refusals:
 * `invalid_request` for an origin that is none.
 */
export function relyingPartyOf(
  config: GatewayConfig,
  { headers }: Pick<FastifyRequest, "headers">,
): RelyingParty {
  const origin =
    sessionSettingsOf(config).ownOrigin ?? headers.origin ?? `http://${headers.host ?? "localhost"}`;
  if (!URL.canParse(origin)) {
    throw new Refusal("invalid_request", "Send the request from our own page: its Origin is not an origin.");
  }
  return { name: "Quittance", origin, id: new URL(origin).hostname };
}
