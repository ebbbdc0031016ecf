import { Inject, Injectable } from "@nestjs/common";
import type { Sql } from "../../platform/persistence/sql.ts";
import { AccountNumberCipher } from "../../platform/encryption/account-number-cipher.ts";
import type { Receiver } from "./domain/delivery.ts";
import { type SigningSecret, signingSecret } from "../endpoints/domain/signature.ts";
import { type ReceiverRow, readReceivers, type SealedSecret } from "../endpoints/store/endpoints.ts";

const mostOpened = 10_000;

/** Endpoints as deliveries need them, secrets opened. What was opened once is remembered: opening costs more than a read. */
@Injectable()
export class Receivers {
  readonly #seals: AccountNumberCipher;
  readonly #opened = new Map<string, SigningSecret>();

  constructor(@Inject(AccountNumberCipher) seals: AccountNumberCipher) {
    this.#seals = seals;
  }

  /** The enabled endpoints of these books (stored ids), by book. */
  async ofBooks(sql: Sql, books: readonly string[], now: Date): Promise<Map<string, Receiver[]>> {
    const rows = await readReceivers(sql, { books }, now);
    const byBook = new Map<string, Receiver[]>();
    for (const row of rows) {
      const known = byBook.get(row.book_id) ?? [];
      known.push(this.#toReceiver(row));
      byBook.set(row.book_id, known);
    }
    return byBook;
  }

  /** These endpoints (stored ids), as far as they are enabled, by id. */
  async byId(sql: Sql, endpoints: readonly string[], now: Date): Promise<Map<string, Receiver>> {
    const rows = await readReceivers(sql, { endpoints }, now);
    return new Map(rows.map((row) => [row.id, this.#toReceiver(row)]));
  }

  #toReceiver(row: ReceiverRow): Receiver {
    return {
      endpointId: row.id,
      url: row.url,
      eventTypes: row.event_types,
      apiVersion: row.api_version,
      secrets: row.secrets.map((secret) => this.#open(secret)),
    };
  }

  #open(sealed: SealedSecret): SigningSecret {
    const known = this.#opened.get(sealed.ciphertext);
    if (known !== undefined) return known;
    const opened = signingSecret(this.#seals.decrypt(sealed));
    if (this.#opened.size >= mostOpened) this.#opened.clear();
    this.#opened.set(sealed.ciphertext, opened);
    return opened;
  }
}
