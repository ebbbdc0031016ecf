import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { Inject, Injectable } from "@nestjs/common";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { CONFIG, type LedgerConfig } from "../config.ts";
import { type Position, readPosition, writePosition } from "./domain/statement.ts";

/** The statement that a position belongs to. */
interface StatementOf {
  readonly book: BookId;
  readonly ledgerAccountId: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Writes the position of a statement for its cursor, and reads it again. It is signed: later pages show the balances in
 * it, so a forged one would show its bearer balances that the account never had.
 */
@Injectable()
export class StatementCursor {
  readonly #key: KeyObject;

  constructor(@Inject(CONFIG) config: Pick<LedgerConfig, "NUMBER_LOOKUP_KEY">) {
    this.#key = createSecretKey(config.NUMBER_LOOKUP_KEY, "base64");
  }

  write(position: Position, statement: StatementOf): string {
    const text = writePosition(position);
    return `${text} ${this.#sign(text, statement).toString("base64url")}`;
  }

  /** Undefined unless `write` made it, for the same statement. */
  read(signed: string, statement: StatementOf): Position | undefined {
    const end = signed.lastIndexOf(" ");
    const [text, sent] = [signed.slice(0, end), Buffer.from(signed.slice(end + 1), "base64url")];
    const signature = this.#sign(text, statement);
    const isOurs = sent.length === signature.length && timingSafeEqual(sent, signature);
    return isOurs ? readPosition(text) : undefined;
  }

  #sign(text: string, { book, ledgerAccountId, from, to }: StatementOf): Buffer {
    // The first part sets it apart from the numbers that the same key is for.
    const signed = JSON.stringify(["statement", book, ledgerAccountId, from, to, text]);
    return createHmac("sha256", this.#key).update(signed).digest();
  }
}
