import type { OnModuleInit } from "@nestjs/common";
import type { NatsConnection } from "@nats-io/transport-node";
import { ApiKeyRevoked, PersonChanged, TenantStatusChanged } from "../../../contracts/messages/tenants.ts";
import { watchConnection } from "../../platform/nats/connection.ts";
import type { KeyCache, SessionCache } from "./key-cache.ts";

/**
 * Clears the caches of keys and sessions when a key is revoked, a session ends, or the rights of a tenant or person
 * change. All are rare, and one query per key afterwards is cheaper than finding out which keys are affected. Events
 * may have been missed during a disconnect, so a reconnect clears the caches too. A revocation that is missed
 * nevertheless takes effect after a second.
 */
export class Revocations implements OnModuleInit {
  readonly #nats: NatsConnection;
  readonly #caches: readonly (KeyCache | SessionCache)[];
  readonly #afterwards: () => void;

  /** @param afterwards what else ends with a session, such as an open stream */
  constructor(nats: NatsConnection, keys: KeyCache, sessions: SessionCache, afterwards: () => void) {
    this.#nats = nats;
    this.#caches = [keys, sessions];
    this.#afterwards = afterwards;
  }

  onModuleInit(): void {
    for (const { subject } of [ApiKeyRevoked, PersonChanged, TenantStatusChanged]) {
      // The client renews the subscription after each reconnect.
      this.#nats.subscribe(`${subject}.*`, { callback: () => this.#clear() });
    }
    void watchConnection(this.#nats, { regained: () => this.#clear() });
  }

  #clear(): void {
    for (const cache of this.#caches) cache.clear();
    this.#afterwards();
  }
}
