import type { OnModuleInit } from "@nestjs/common";
import type { NatsConnection } from "@nats-io/transport-node";
import { ApiKeyRevoked, TenantStatusChanged } from "../../../contracts/messages/tenants.ts";
import type { KeyCache } from "./key-cache.ts";

/**
 * Overhears that a key was revoked or a tenant changed its status, and forgets every remembered key: it happens
 * rarely, and one question per key afterwards is cheaper than knowing which. After a reconnect nobody knows what was
 * said meanwhile, so that forgets too. What is missed all the same lasts a second.
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
      // The subscription ends with the connection, and nats.js makes it again after each reconnect.
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
