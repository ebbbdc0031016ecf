import { defineEntity, type InferEntity } from "@mikro-orm/core";
import type { Counterparty, CounterpartyAccount } from "../../order/counterparty.ts";

const p = defineEntity.properties;

const AccountNumber = defineEntity({
  name: "CounterpartyAccountNumber",
  embeddable: true,
  properties: { keyId: p.text(), ciphertext: p.text(), last4: p.text() },
});

export const AccountEntity = defineEntity({
  name: "CounterpartyAccount",
  tableName: "counterparty_account",
  properties: {
    counterparty: () =>
      p
        .manyToOne(CounterpartyEntity)
        .primary()
        .joinColumns("book_id", "counterparty_id")
        .foreignKeyName("counterparty_account_of_counterparty")
        .updateRule("no action"),
    rail: p.text().$type<CounterpartyAccount["rail"]>().primary(),
    position: p.integer(),
    accountNumber: () => p.embedded(AccountNumber).prefix(false),
    routingNumber: p.text(),
    accountType: p.text().$type<CounterpartyAccount["accountType"]>().strictNullable(),
  },
});

/** Ids are uuids here: the ORM converts no custom type in a composite key. */
export const CounterpartyEntity = defineEntity({
  name: "Counterparty",
  tableName: "counterparty",
  properties: {
    book: p.uuid().name("book_id").primary(),
    id: p.uuid().primary(),
    name: p.text(),
    type: p.text().$type<Counterparty["type"]>(),
    email: p.text().strictNullable(),
    externalId: p.text().strictNullable(),
    accounts: () =>
      p.oneToMany(AccountEntity).mappedBy("counterparty").orphanRemoval().orderBy({ position: "asc" }),
    metadata: p.json<Readonly<Record<string, string>>>(),
    verificationStatus: p.text().$type<Counterparty["verificationStatus"]>(),
    verifiedBy: p.text().strictNullable(),
    verifiedAt: p.datetime().strictNullable(),
    detailsEnteredBy: p.array(),
    editorsBeforeVerification: p.array().name("earlier_editors").defaultRaw("'{}'"),
    archivedAt: p.datetime().strictNullable(),
    archivedBy: p.text().strictNullable(),
    version: p.integer().version(),
    createdBy: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});
export type CounterpartyEntity = InferEntity<typeof CounterpartyEntity>;
