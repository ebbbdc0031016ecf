import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { idOf } from "../../../contracts/ids/ids.ts";
import { someTerms } from "../../../test/stack/orders/payment-order.ts";
import { orderHash } from "./order-hash.ts";
import type { OrderTerms } from "./payment-order.ts";

it("is the SHA-256 of the canonical terms, without a counterparty or an obligation if there is none", () => {
  const canonical =
    'quittance-order-v1\n{"amountCents":1250,"basis":"Actual",' +
    '"counterpartyAccount":{"ciphertext":"c2VhbGVk","keyId":"k1","last4":"6789"},' +
    '"counterpartyLedgerAccountId":null,"counterpartyName":"Blue Freight",' +
    '"counterpartyRoutingNumber":"021000021","currency":"USD","description":null,"direction":"Credit",' +
    '"effectiveDate":null,"externalId":null,"ledgerAccountId":"la_01kg000000e008000000000001",' +
    '"ledgerAccountName":"Operating","metadata":{"a":"1","b":"2"},"purpose":null,"rail":"Ach",' +
    '"statementDescriptor":null}';
  expect(orderHash(someTerms({ metadata: { b: "2", a: "1" } }))).toBe(
    createHash("sha256").update(canonical).digest("hex"),
  );
});

it("does not depend on the order of members, nested ones included", () => {
  const terms = someTerms({ metadata: { a: "1", b: "2" } });
  const shuffled = Object.fromEntries(Object.entries(terms).reverse()) as unknown as OrderTerms;
  expect(orderHash({ ...shuffled, metadata: { b: "2", a: "1" } })).toBe(orderHash(terms));
});

it("covers the counterparty that the details were copied from", () => {
  const counterpartyId = idOf("cp", "019c0000-0000-7000-8000-000000000003");
  const another = idOf("cp", "019c0000-0000-7000-8000-000000000004");
  const hashes = [null, counterpartyId, another].map((id) => orderHash(someTerms({ counterpartyId: id })));
  expect(new Set(hashes).size).toBe(3);
});

it("covers the obligation that it pays", () => {
  const [one, another] = [
    idOf("ob", "019c0000-0000-7000-8000-000000000005"),
    idOf("ob", "019c0000-0000-7000-8000-000000000006"),
  ];
  const hashes = [null, one, another].map((obligationId) => orderHash(someTerms({ obligationId })));
  expect(new Set(hashes).size).toBe(3);
});

const changes: Partial<OrderTerms>[] = [
  { direction: "Debit" },
  { rail: "SameDayAch" },
  { amountCents: 1_251 },
  { ledgerAccountName: "operating" },
  { counterpartyName: null },
  { counterpartyAccount: { keyId: "k1", ciphertext: "c2VhbGVj", last4: "6789" } },
  { counterpartyRoutingNumber: "021000089" },
  { externalId: "invoice-7" },
  { description: "" },
  { statementDescriptor: "RENT" },
  { effectiveDate: "2026-03-05" },
  { purpose: "Rent" },
  { basis: "Demo" },
  { metadata: { a: "1" } },
];
it.each(changes)("changes with %j", (change) => {
  expect(orderHash(someTerms(change))).not.toBe(orderHash(someTerms()));
});
