import { randomBytes } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { account, CounterpartiesOnTest } from "../../../test/stack/orders/counterparties.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { ProposedChangesOnTest } from "../../../test/stack/orders/proposed-changes.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { Database } from "../../platform/persistence/database.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { reencrypt } from "../../platform/encryption/reencrypt.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { countOtherKeys, encryptedColumns } from "./account-number-ciphertexts.ts";

const numbers = ["11112222", "33334444", "55556666", "77778888", "99990000"];
const newKey = `k2:${randomBytes(32).toString("base64")}`;
const onlyNew = new SecretCipher(newKey);

const orders = new OrdersOnTest();
let rotated: SecretCipher;
let submitted: PaymentOrder;
let corrected: PaymentOrder["id"];
/** Five counterparties with two accounts each, five drafts, an order on its way, and one whose payee was corrected. */
beforeAll(async () => {
  rotated = new SecretCipher(`${newKey},${orders.messaging.encryptionKeys}`);
  const counterparties = new CounterpartiesOnTest(orders);
  for (const number of numbers) {
    const rtp = account(number, { rail: "Rtp" });
    await counterparties.create({ accounts: [account(number), rtp] });
    await orders.create({ submit: false, counterpartyAccountNumber: orders.encrypt(number) });
  }
  submitted = await orders.create();
  const changes = new ProposedChangesOnTest(orders);
  const payee = await counterparties.verified({ accounts: [account("77771234")] });
  corrected = (await changes.pay(payee.id)).id;
  await changes.corrects(corrected, "C01", { accountNumber: orders.encrypt("12344321") });
});

const inTransaction = <T>(work: (sql: Sql) => Promise<T>): Promise<T> => {
  const [instance] = orders.instances;
  if (instance === undefined) throw new Error("no instance runs");
  return instance.app.get(Database).transaction(({ sql }) => work(sql));
};
const others = () => inTransaction((sql) => countOtherKeys(sql, "k2"));

it("stops if a key is missing, and changes nothing", async () => {
  await expect(reencrypt(encryptedColumns, inTransaction, onlyNew)).rejects.toThrow(
    "no key k1 among ENCRYPTION_KEYS",
  );
  expect(await others()).toEqual([
    { keyId: "k1", what: "accounts of counterparties", rows: 11 },
    { keyId: "k1", what: "drafts", rows: 5 },
    { keyId: "k1", what: "orders under way", rows: 2 },
    { keyId: "k1", what: "proposed changes", rows: 1 },
  ]);
});

it("keeps the finished batches when it is interrupted", async () => {
  let batches = 0;
  const interrupted = reencrypt(
    encryptedColumns,
    (work) => {
      batches += 1;
      return batches > 2 ? Promise.reject(new Error("interrupted")) : inTransaction(work);
    },
    rotated,
    2,
  );
  await expect(interrupted).rejects.toThrow("interrupted");
  expect(await others()).toMatchObject([{ rows: 7 }, { rows: 5 }, { rows: 2 }, { rows: 1 }]);
});

it("skips locked rows until the next run, and waits for nobody", async () => {
  await inTransaction(async (sql) => {
    await sql("select 1 from payment_order where phase = 'Draft' order by id limit 1 for update");
    await sql(
      "select 1 from counterparty_account where key_id = 'k1' order by counterparty_id, rail limit 1 for update",
    );
    expect(await reencrypt(encryptedColumns, inTransaction, rotated, 2)).toEqual([
      { what: "accounts of counterparties", rows: 6 },
      { what: "drafts", rows: 4 },
      { what: "proposed changes", rows: 1 },
    ]);
  });
  expect(await reencrypt(encryptedColumns, inTransaction, rotated, 2)).toEqual([
    { what: "accounts of counterparties", rows: 1 },
    { what: "drafts", rows: 1 },
    { what: "proposed changes", rows: 0 },
  ]);
  expect(await reencrypt(encryptedColumns, inTransaction, rotated)).toMatchObject([
    { rows: 0 },
    { rows: 0 },
    { rows: 0 },
  ]);
});

it("re-encrypts every number: only the new key decrypts it, and its last four stay", async () => {
  const accounts = await orders.sql<{ keyId: string; ciphertext: string; last4: string }>(
    `select key_id as "keyId", ciphertext, last4
     from counterparty_account
     where last4 <> '1234'
     order by counterparty_id, rail`,
  );
  expect(accounts.map((stored) => onlyNew.decrypt(stored))).toEqual(
    numbers.flatMap((number) => [number, number]),
  );
  const drafts = await orders.sql<{ account: { keyId: string; ciphertext: string; last4: string } }>(
    "select counterparty_account as account from payment_order where phase = 'Draft' order by id",
  );
  expect(drafts.map(({ account }) => onlyNew.decrypt(account))).toEqual(numbers);
  expect([...accounts, ...drafts.map(({ account }) => account)].map(({ last4 }) => last4)).toEqual(
    [...numbers.flatMap((number) => [number, number]), ...numbers].map((number) => number.slice(-4)),
  );
});

it("re-encrypts what a bank corrected", async () => {
  const [change] = await orders.sql<{ number: Parameters<SecretCipher["decrypt"]>[0] }>(
    "select corrected_data -> 'accountNumber' as number from proposed_change where order_id = $1",
    [uuidOf(corrected)],
  );
  expect(change?.number).toMatchObject({ keyId: "k2", last4: "4321" });
  expect(change && onlyNew.decrypt(change.number)).toBe("12344321");
});

it("does not re-encrypt submitted orders, whose approvals are bound to the ciphertext, and counts them", async () => {
  expect(await others()).toEqual([{ keyId: "k1", what: "orders under way", rows: 2 }]);
  await orders.holdPlaced(submitted.id);
  await orders.untilPhase(submitted.id, "HandingOff");
});
