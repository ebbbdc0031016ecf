import type { OnModuleInit } from "@nestjs/common";
import type { NatsConnection } from "@nats-io/transport-node";
import { ApiKeyRevoked, TenantStatusChanged } from "../../../contracts/messages/tenants.ts";
import type { KeyCache } from "./key-cache.ts";

/**
 * Clears the key cache when a key is revoked or a tenant's status changes. Both are rare, and one query per key
 * afterwards is cheaper than finding out which keys are affected. Events may have been missed during a disconnect, so a
 * reconnect clears the cache too. A revocation that is missed nevertheless takes effect after a second.
 */
export class Revocations implements OnModuleInit {
  readonly #nats: NatsConnection;
  readonly #keys: KeyCache;

  constructor(nats: NatsConnection, keys: KeyCache) {
    this.#nats = nats;
    this.#keys = keys;
  }

  onModuleInit(): void {
    for (const { subject } of [ApiKeyRevoked, TenantStatusChanged]) {
      // The client renews the subscription after each reconnect.
      this.#nats.subscribe(`${subject}.*`, { callback: () => this.#keys.clear() });
    }
    void this.#watchConnection();
  }

  async #watchConnection(): Promise<void> {
    for await (const status of this.#nats.status()) {
      if (status.type === "reconnect") this.#keys.clear();
    }
  }
}
