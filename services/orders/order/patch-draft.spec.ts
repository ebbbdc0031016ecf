import { describe, expect, it } from "vitest";
import { idOf } from "../../../contracts/ids/ids.ts";
import type { Refusal } from "../../../contracts/errors.ts";
import { someTerms } from "../../../test/stack/orders/payment-order.ts";
import { patchedBody, type EncryptedPatch } from "./patch-draft.ts";
import type { OrderTerms } from "./payment-order.ts";

const reserve = idOf("la", "019c0000-0000-7000-8000-000000000002");
const counterpartyId = idOf("cp", "019c0000-0000-7000-8000-000000000003");
const encrypted = { keyId: "k1", ciphertext: "c2VhbGVk", last4: "6789" };
const other = { keyId: "k1", ciphertext: "b3RoZXI=", last4: "4321" };
const encrypt = (text: string) => ({ keyId: "k1", ciphertext: `encrypted ${text}`, last4: "" });
const patched = (change: Partial<OrderTerms>, patch: EncryptedPatch) =>
  patchedBody(someTerms(change), patch, encrypt);
const book: Partial<OrderTerms> = {
  rail: "Book",
  counterpartyName: "Reserve",
  counterpartyAccount: null,
  counterpartyLedgerAccountId: reserve,
  counterpartyRoutingNumber: null,
};

describe("a patch", () => {
  it("that is empty changes nothing", () => {
    const stored = { purpose: "Fuel", externalId: "inv-7", metadata: { team: "ops" } };
    expect(patched(stored, {})).toEqual({
      direction: "Credit",
      rail: "Ach",
      amountCents: 1_250,
      currency: "USD",
      ledgerAccountId: idOf("la", "019c0000-0000-7000-8000-000000000001"),
      counterpartyName: "Blue Freight",
      counterpartyAccountNumber: encrypted,
      counterpartyRoutingNumber: "021000021",
      externalId: "inv-7",
      description: undefined,
      statementDescriptor: undefined,
      effectiveDate: undefined,
      purpose: "Fuel",
      basis: "Actual",
      metadata: { team: "ops" },
    });
  });

  it("replaces the fields that it sends and removes those that it sets to null", () => {
    const stored = { purpose: "Fuel", description: "March", externalId: "inv-7" };
    const body = patched(stored, { amountCents: 900, purpose: null, description: "April", basis: "Demo" });
    expect(body).toMatchObject({
      amountCents: 900,
      description: "April",
      externalId: "inv-7",
      basis: "Demo",
    });
    expect(body.purpose).toBeUndefined();
  });

  it("names another ledger account in one way", () => {
    expect(patched({}, { ledgerAccountId: reserve })).toMatchObject({ ledgerAccountId: reserve });
    const byName = patched({}, { ledgerAccountName: "Reserve" });
    expect(byName).toMatchObject({ ledgerAccountName: "Reserve" });
    expect(byName).not.toHaveProperty("ledgerAccountId");
  });

  it("merges metadata pair by pair, and clears it with null", () => {
    const stored = { metadata: { team: "ops", region: "west" } };
    expect(patched(stored, { metadata: { team: null, batch: "9" } }).metadata).toEqual({
      region: "west",
      batch: "9",
    });
    expect(patched(stored, { metadata: null }).metadata).toEqual({});
  });

  it("can't take metadata above fifty pairs", () => {
    const pairs = (from: number) =>
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${String(from + index)}`, "v"]));
    expect(() => patched({ metadata: pairs(0) }, { metadata: pairs(30) })).toThrow(
      expect.objectContaining({
        code: "invalid_field",
        errors: [expect.objectContaining({ pointer: "/metadata" })],
      }),
    );
  });
});

describe("the counterparty in a patch", () => {
  const counterpartyOf = ({ counterpartyId, counterpartyName, ...rest }: ReturnType<typeof patchedBody>) => ({
    counterpartyId,
    counterpartyName,
    number: rest.counterpartyAccountNumber,
    routing: rest.counterpartyRoutingNumber,
  });
  const nobody = {
    counterpartyId: undefined,
    counterpartyName: undefined,
    number: undefined,
    routing: undefined,
  };

  it("keeps a bank account from rail to rail", () => {
    expect(counterpartyOf(patched({}, { rail: "Wire" }))).toEqual({
      ...nobody,
      counterpartyName: "Blue Freight",
      number: encrypted,
      routing: "021000021",
    });
  });

  it("does not keep a bank account when it changes to Book, nor the other way round", () => {
    expect(counterpartyOf(patched({}, { rail: "Book" }))).toEqual(nobody);
    expect(counterpartyOf(patched(book, { rail: "Ach" }))).toEqual(nobody);
  });

  it("keeps a Book counterparty's account by its id", () => {
    expect(counterpartyOf(patched(book, { amountCents: 5 }))).toEqual({
      ...nobody,
      counterpartyName: "Reserve",
      number: encrypt(reserve),
    });
  });

  it("uses the name of the new account of the book", () => {
    expect(counterpartyOf(patched(book, { counterpartyAccountNumber: other }))).toEqual({
      ...nobody,
      number: other,
    });
  });

  it("keeps no details with a counterpartyId, and no counterpartyId with details", () => {
    expect(counterpartyOf(patched({}, { counterpartyId }))).toEqual({
      ...nobody,
      counterpartyId,
    });
    const named = { counterpartyId };
    expect(counterpartyOf(patched(named, {}))).toEqual({ ...nobody, counterpartyId });
    expect(counterpartyOf(patched(named, { counterpartyId: null, counterpartyName: "Ada" }))).toEqual({
      ...nobody,
      counterpartyName: "Ada",
    });
  });

  it("can't have a counterpartyId and details at once", () => {
    const both: [Partial<OrderTerms>, EncryptedPatch][] = [
      [{ counterpartyId }, { counterpartyName: "Ada" }],
      [{}, { counterpartyId, counterpartyName: "Ada" }],
    ];
    for (const [stored, patch] of both) {
      expect(() => patched(stored, patch)).toThrow(
        expect.objectContaining({
          code: "invalid_field",
          errors: [expect.objectContaining({ pointer: "/counterpartyName" })],
        } satisfies Partial<Record<keyof Refusal, unknown>>),
      );
    }
  });
});
