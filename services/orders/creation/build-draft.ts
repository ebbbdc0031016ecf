import { Inject, Injectable } from "@nestjs/common";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { isId, newId } from "../../../contracts/ids/ids.ts";
import type { CreateOrder } from "../../../contracts/messages/orders.ts";
import { notFound } from "../../../contracts/not-found.ts";
import type { RequestContext } from "../../platform/handlers/decorators.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { newDraft, type OrderTerms, type PaymentOrder } from "../order/payment-order.ts";
import { AccountLookup } from "./account-lookup.ts";

export type CreateBody = z.output<(typeof CreateOrder)["data"]>;

/** Builds the Draft that a caller requests. The rail's requirements are checked at submission. */
@Injectable()
export class BuildDraft {
  readonly #accounts: AccountLookup;
  readonly #cipher: SecretCipher;

  constructor(@Inject(AccountLookup) accounts: AccountLookup, @Inject(SecretCipher) cipher: SecretCipher) {
    this.#accounts = accounts;
    this.#cipher = cipher;
  }

  /** Stores nothing. Refusals: those of the accounts that the body names. */
  async draft(body: CreateBody, request: RequestContext): Promise<PaymentOrder> {
    const { caller, correlationid, traceparent } = request;
    return newDraft(newId("po"), await this.termsOf(body, request), caller, { correlationid, traceparent });
  }

  /** The terms of a body, with the accounts that it names looked up. Refusals: those of the accounts. */
  async termsOf(body: CreateBody, request: RequestContext): Promise<OrderTerms> {
    const account = await this.#ledgerAccount(body, request);
    const counterparty = await this.#counterparty(body, request);
    return {
      direction: body.direction,
      rail: body.rail,
      amountCents: body.amountCents,
      currency: body.currency ?? "USD",
      ledgerAccountId: account.ledgerAccountId,
      ledgerAccountName: account.name,
      ...counterparty,
      externalId: body.externalId ?? null,
      description: body.description ?? null,
      statementDescriptor: body.statementDescriptor ?? null,
      effectiveDate: body.effectiveDate ?? null,
      purpose: body.purpose ?? null,
      basis: body.basis ?? "Actual",
      metadata: body.metadata ?? {},
      obligationId: null,
    };
  }

  #ledgerAccount(body: CreateBody, request: RequestContext) {
    if (body.ledgerAccountId !== undefined)
      return this.#accounts.resolve(request, body.ledgerAccountId, "Id", "ledgerAccountId");
    if (body.ledgerAccountName !== undefined) {
      return this.#accounts.resolve(request, body.ledgerAccountName, "Name", "ledgerAccountName");
    }
    throw new Refusal("missing_field", "Send ledgerAccountName or ledgerAccountId.", {
      errors: [{ pointer: "/ledgerAccountName", code: "missing_field", message: "is required" }],
    });
  }

  /**
   * For Book the counterparty's account number is the id, name or virtual account number of an account of the same
   * book. Its name becomes the counterparty's, unless the body has one.
   */
  async #counterparty(body: CreateBody, request: RequestContext) {
    const encrypted = body.counterpartyAccountNumber;
    if (body.counterpartyId !== undefined) return counterpartyIdOnly(body.counterpartyId, body);
    if (body.rail !== "Book") {
      return {
        counterpartyId: null,
        counterpartyName: body.counterpartyName ?? null,
        counterpartyAccount: encrypted ?? null,
        counterpartyLedgerAccountId: null,
        counterpartyRoutingNumber: body.counterpartyRoutingNumber ?? null,
      };
    }
    if (encrypted === undefined) {
      const detail = "Send the id or name of the counterparty's ledger account as counterpartyAccountNumber.";
      throw new Refusal("counterparty_account_missing", detail, {
        errors: [
          { pointer: "/counterpartyAccountNumber", code: "counterparty_account_missing", message: detail },
        ],
      });
    }
    const account = await this.#accounts.resolve(
      request,
      this.#cipher.decrypt(encrypted),
      "Either",
      "counterpartyAccountNumber",
    );
    return {
      counterpartyId: null,
      counterpartyName: body.counterpartyName ?? account.name,
      counterpartyAccount: null,
      counterpartyLedgerAccountId: account.ledgerAccountId,
      counterpartyRoutingNumber: null,
    };
  }
}

/** Only the id. `withCounterpartyDetails` copies the details in the transaction that writes the order. */
function counterpartyIdOnly(counterpartyId: string, body: CreateBody) {
  const inline = (
    ["counterpartyName", "counterpartyAccountNumber", "counterpartyRoutingNumber"] as const
  ).filter((field) => body[field] !== undefined);
  if (inline.length > 0) {
    const detail = "Send either counterpartyId or the counterparty's details, not both.";
    const fault = { code: "invalid_field", message: "cannot be combined with counterpartyId" } as const;
    throw new Refusal("invalid_field", detail, {
      errors: inline.map((field) => ({ pointer: `/${field}`, ...fault })),
    });
  }
  if (!isId("cp", counterpartyId)) throw notFound("counterparty", "/counterpartyId");
  return {
    counterpartyId,
    counterpartyName: null,
    counterpartyAccount: null,
    counterpartyLedgerAccountId: null,
    counterpartyRoutingNumber: null,
  };
}
