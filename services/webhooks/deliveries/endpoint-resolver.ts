import { Inject, Injectable } from "@nestjs/common";
import type { Sql } from "../../platform/persistence/sql.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { ProcessClock } from "../process-clock.ts";
import type { ResolvedEndpoint } from "./domain/delivery.ts";
import { type SigningSecret, signingSecret } from "../endpoints/domain/signature.ts";
import { type EnabledEndpointRow, readEnabledEndpoints } from "../endpoints/store/endpoints.ts";
import type { EncryptedSecret } from "../endpoints/store/signing-secrets.ts";

const maxCachedSecrets = 10_000;

/** What a plan of deliveries needs of an enabled endpoint. `resolved` is null if a secret of it can't be decrypted. */
export interface EnabledEndpoint
  extends Pick<ResolvedEndpoint, "endpointId" | "eventTypes" | "apiVersion" | "maxAttempts"> {
  readonly resolved: ResolvedEndpoint | null;
}

/**
 * Reads enabled endpoints with their signing secrets decrypted. Endpoints are read every time, so that a change
 * applies to the next event. Decrypted secrets are cached, because decrypting costs more than the read.
 */
@Injectable()
export class EndpointResolver {
  readonly #cipher: SecretCipher;
  readonly #secretsByCiphertext = new Map<string, SigningSecret>();

  constructor(@Inject(SecretCipher) cipher: SecretCipher) {
    this.#cipher = cipher;
  }

  /** The enabled endpoints of these books, by book. Ids are stored `uuid`s. */
  async ofBooks(
    sql: Sql,
    books: readonly string[],
    clock: ProcessClock,
  ): Promise<Map<string, EnabledEndpoint[]>> {
    const readAtMs = clock.elapsedMs();
    const rows = await readEnabledEndpoints(sql, { books }, clock.now());
    const byBook = Map.groupBy(rows, (row) => row.book_id);
    return new Map(
      [...byBook].map(([book, own]) => [book, own.map((row) => this.#enabledEndpoint(row, readAtMs))]),
    );
  }

  /** Those of these endpoints that are enabled, by id. Ids are stored `uuid`s. */
  async byId(
    sql: Sql,
    endpoints: readonly string[],
    clock: ProcessClock,
  ): Promise<Map<string, ResolvedEndpoint>> {
    const readAtMs = clock.elapsedMs();
    const rows = await readEnabledEndpoints(sql, { endpoints }, clock.now());
    return new Map(rows.map((row) => [row.id, this.#resolve(row, readAtMs)]));
  }

  /** A secret that can't be decrypted must not fail the book's other endpoints. */
  #enabledEndpoint(row: EnabledEndpointRow, readAtMs: number): EnabledEndpoint {
    const {
      id: endpointId,
      event_types: eventTypes,
      api_version: apiVersion,
      max_attempts: maxAttempts,
    } = row;
    const endpoint = { endpointId, eventTypes, apiVersion, maxAttempts };
    try {
      return { ...endpoint, resolved: this.#resolve(row, readAtMs) };
    } catch {
      return { ...endpoint, resolved: null };
    }
  }

  #resolve(row: EnabledEndpointRow, readAtMs: number): ResolvedEndpoint {
    return {
      endpointId: row.id,
      book: row.book_id,
      url: row.url,
      eventTypes: row.event_types,
      apiVersion: row.api_version,
      maxAttempts: row.max_attempts,
      backoffMs: row.backoff_seconds?.map((seconds) => seconds * 1_000) ?? null,
      ratePerSecond: row.rate_per_second,
      countsFailingDays: row.disable_after_days !== null,
      secrets: row.secrets.map((secret) => this.decrypt(secret)),
      readAtMs,
    };
  }

  /** Throws if the keys don't decrypt it. */
  decrypt(encrypted: EncryptedSecret): SigningSecret {
    const cached = this.#secretsByCiphertext.get(encrypted.ciphertext);
    if (cached !== undefined) return cached;
    const secret = signingSecret(this.#cipher.decrypt(encrypted));
    if (this.#secretsByCiphertext.size >= maxCachedSecrets) this.#secretsByCiphertext.clear();
    this.#secretsByCiphertext.set(encrypted.ciphertext, secret);
    return secret;
  }

  /** Undefined if the keys don't decrypt it. */
  decryptIfPossible(encrypted: EncryptedSecret): SigningSecret | undefined {
    try {
      return this.decrypt(encrypted);
    } catch {
      return undefined;
    }
  }
}
