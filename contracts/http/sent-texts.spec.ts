import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { apiKeyCreate } from "./api-keys.ts";
import { inboundSimulation } from "./ledger/inbound-payments.ts";
import { ledgerAccount, ledgerAccountCreate, ledgerAccountPatch } from "./ledger/ledger-accounts.ts";
import { ledgerTransactionCreate } from "./ledger/ledger-transactions.ts";
import { obligation, obligationAmend, obligationCreate, obligationPatch } from "./ledger/obligations.ts";
import { virtualAccountCreate, virtualAccountPatch } from "./ledger/virtual-accounts.ts";
import { counterpartyBody } from "./payments/counterparties.ts";
import { paymentOrderQuery } from "./payments/payment-order-query.ts";
import {
  cancelBody,
  denyBody,
  paymentOrder,
  paymentOrderCreate,
  paymentOrderPatch,
} from "./payments/payment-orders.ts";
import { webhookEndpointCreate } from "./webhooks/webhooks.ts";

type Body = z.ZodObject;

const field = ({ shape }: Body, name: string) => shape[name] as z.ZodType;

const accepts = (body: Body, name: string, sent: unknown) => field(body, name).safeParse(sent).success;

describe("a name that a caller sends", () => {
  it.each<[string, Body, readonly string[]]>([
    ["an API key", apiKeyCreate, ["name", "principal"]],
    ["a ledger account", ledgerAccountCreate, ["name"]],
    ["a virtual account", virtualAccountCreate, ["name"]],
    ["a counterparty", counterpartyBody, ["name"]],
    ["an order's counterparty", paymentOrderCreate, ["counterpartyName"]],
    ["a Draft's counterparty", paymentOrderPatch, ["counterpartyName"]],
    ["an obligation", obligationCreate, ["reference", "jurisdiction", "period"]],
    ["an obligation that is changed", obligationPatch, ["reference", "jurisdiction", "period"]],
    ["a simulated sender", inboundSimulation, ["originatorName"]],
  ])("of %s is normalised, and what can't be seen in it is refused", (_what, body, names) => {
    for (const name of names) {
      expect(field(body, name).parse(" Blue \u00a0 Cafe\u0301 ")).toBe("Blue Café");
      expect(accepts(body, name, "Blue\u200bCafé")).toBe(false);
    }
  });

  it("of an account that it refers to is kept as it was sent, because older names are not normalised", () => {
    expect(field(paymentOrderCreate, "ledgerAccountName").parse("Pay  roll ")).toBe("Pay  roll ");
  });
});

describe("a text that a caller sends", () => {
  it.each<[string, Body, readonly string[]]>([
    [
      "an order",
      paymentOrderCreate,
      ["description", "statementDescriptor", "purpose", "counterpartyRoutingNumber"],
    ],
    [
      "a Draft",
      paymentOrderPatch,
      ["description", "statementDescriptor", "purpose", "counterpartyRoutingNumber"],
    ],
    ["a denial", denyBody, ["reason"]],
    ["a cancellation", cancelBody, ["reason"]],
    ["a transaction", ledgerTransactionCreate, ["description"]],
  ])("with %s is one line, on which all can be seen", (_what, body, names) => {
    for (const name of names) {
      expect(accepts(body, name, "Rent")).toBe(true);
      for (const sent of ["Rent\nMay", "Re\u200bnt", "Re\u202ent", "Rent\u0007"])
        expect(accepts(body, name, sent)).toBe(false);
    }
  });

  it.each<[string, Body]>([
    ["a ledger account", ledgerAccountCreate],
    ["a change of a ledger account", ledgerAccountPatch],
    ["a virtual account", virtualAccountCreate],
    ["a change of a virtual account", virtualAccountPatch],
    ["a webhook endpoint", webhookEndpointCreate],
  ])("describes %s in any lines, without other control characters", (_what, body) => {
    expect(accepts(body, "description", "Rent\n\tMay")).toBe(true);
    expect(accepts(body, "description", "Rent\u001b[2J")).toBe(false);
  });

  it("describes a line of an obligation, and its source, on one line", () => {
    const line = { description: "Diesel", amountCents: 1, basis: { kind: "Actual", source: "Return" } };
    for (const body of [obligationCreate, obligationPatch, obligationAmend]) {
      expect(accepts(body, "lines", [line])).toBe(true);
      expect(accepts(body, "lines", [{ ...line, description: "Die\nsel" }])).toBe(false);
      expect(accepts(body, "lines", [{ ...line, basis: { kind: "Actual", source: "Re\u202eturn" } }])).toBe(
        false,
      );
    }
  });

  it.each<[string, Body]>([
    ["an order", paymentOrderCreate],
    ["a Draft", paymentOrderPatch],
    ["a counterparty", counterpartyBody],
    ["a ledger account", ledgerAccountCreate],
    ["a transaction", ledgerTransactionCreate],
    ["a virtual account", virtualAccountCreate],
    ["a webhook endpoint", webhookEndpointCreate],
  ])("has nothing that can't be seen in the metadata of %s", (_what, body) => {
    expect(accepts(body, "metadata", { team: "ops\n\tnight" })).toBe(true);
    for (const sent of ["ops\u0007", "ops\u202e", "o\u200bps"]) {
      expect(accepts(body, "metadata", { team: sent })).toBe(false);
      expect(accepts(body, "metadata", { [sent]: "ops" })).toBe(false);
    }
    expect(accepts(body, "metadata", { "te\nam": "ops" })).toBe(false);
  });

  it.each<[string, Body]>([
    ["an order", paymentOrderCreate],
    ["a Draft", paymentOrderPatch],
    ["a counterparty", counterpartyBody],
    ["a ledger account", ledgerAccountCreate],
    ["a transaction", ledgerTransactionCreate],
    ["a virtual account", virtualAccountCreate],
  ])("has nothing that can't be seen in the externalId of %s", (_what, body) => {
    expect(accepts(body, "externalId", "Rechnung № 4711 / Müller")).toBe(true);
    for (const sent of ["a\u0007", "a\u202eb", "a\u200bb", "a\nb"])
      expect(accepts(body, "externalId", sent)).toBe(false);
  });
});

it("a filter finds what was stored before references were checked", () => {
  expect(paymentOrderQuery.shape.externalId.parse("a\u202eb")).toEqual(["a\u202eb"]);
  expect(paymentOrderQuery.shape.metadata.safeParse({ team: "o\u200bps" }).success).toBe(true);
});

describe("an answer", () => {
  it("shows what was stored before texts were checked", () => {
    expect(accepts(paymentOrder, "metadata", { team: "ops\u0007" })).toBe(true);
    expect(accepts(paymentOrder, "counterpartyName", "Blue\u200bCafé")).toBe(true);
    expect(accepts(paymentOrder, "externalId", "a\u202eb")).toBe(true);
    expect(accepts(ledgerAccount, "metadata", { team: "ops\u0007" })).toBe(true);
    const line = { description: "Die\nsel", amountCents: 1, basis: { kind: "Actual", source: "Re\nturn" } };
    expect(accepts(obligation, "lines", [line])).toBe(true);
  });
});
