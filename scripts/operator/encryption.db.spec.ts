import { randomBytes } from "node:crypto";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { SecretCipher } from "../../services/platform/encryption/secret-cipher.ts";
import { forThisFile } from "../../test/stack/for-this-file.ts";
import { connectTo, createDatabase } from "../../test/stack/servers/database.ts";
import { runCommandLine } from "./command-line/command-line.ts";
import { sqlOf } from "./command-line/connections.ts";
import { encryption } from "./encryption.ts";

const database = await forThisFile(createDatabase(["ledger", "orders", "rails", "webhooks"]));
const client = await forThisFile(connectTo(database.adminUrl));
await client.query("set search_path = webhooks");
const sql = sqlOf(client);
const key = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;
const [older, old, fresh] = [key("k0"), key("k1"), key("k2")];
const endpoint = "019c0000-0000-7000-8000-000000000001";

/** An endpoint's secrets: a retired one of the oldest key, and two of the old one. */
beforeEach(async () => {
  vi.stubEnv("DATABASE_URL", database.adminUrl);
  await withSecrets([
    [older, "whsec_first"],
    [old, "whsec_second"],
    [old, "whsec_third"],
  ]);
});
afterAll(() => vi.unstubAllEnvs());

async function withSecrets(secrets: readonly (readonly [key: string, secret: string])[]): Promise<void> {
  await sql("truncate endpoint cascade");
  await sql(
    `insert into endpoint (id, book_id, mode, url, event_types, metadata, api_version, status, created_at)
     values ($1, $1, 'Test', 'https://example.com', '{}', '{}', 'v1', 'Enabled', now())`,
    [endpoint],
  );
  for (const [index, [keys, secret]] of secrets.entries()) {
    const { keyId, ciphertext } = new SecretCipher(keys).encrypt(secret);
    await sql(
      `insert into endpoint_secret (endpoint_id, version, key_id, ciphertext, created_at)
       values ($1, $2, $3, $4, now())`,
      [endpoint, index + 1, keyId, ciphertext],
    );
  }
}

/** With these keys; each of them is set only if it is given. */
async function run(
  args: readonly string[],
  keys: { signing?: string; numbers?: string },
): Promise<{ code: number; out: string[]; error: string[] }> {
  vi.stubEnv("SIGNING_SECRET_KEYS", keys.signing);
  vi.stubEnv("ENCRYPTION_KEYS", keys.numbers);
  const [out, error]: [string[], string[]] = [[], []];
  const streams = { out: (line: string) => out.push(line), error: (line: string) => error.push(line) };
  return { code: await runCommandLine(encryption, args, streams), out, error };
}
const rotate = (signing: string) => run(["rotate", "--by", "ada"], { signing });
const numbersLeftOut = "left out: account numbers, because ENCRYPTION_KEYS is not set";

it("status counts the signing secrets of other keys than the first, and needs no other key", async () => {
  expect(await run(["status"], { signing: fresh })).toEqual({
    code: 0,
    out: [
      numbersLeftOut,
      "still encrypted with k0: 1 signing secrets",
      "still encrypted with k1: 2 signing secrets",
      "keep k0, k1 in ENCRYPTION_KEYS of webhooks, after k2",
    ],
    error: [],
  });
  expect((await run(["status", "--json"], { signing: old })).out.map((line) => JSON.parse(line))).toEqual([
    { leftOut: "account numbers", notSet: "ENCRYPTION_KEYS" },
    { keyId: "k0", what: "signing secrets", rows: 1 },
  ]);
});

it("status counts the account numbers that a rail has yet to send or to take", async () => {
  const [asked, due, held, lost] = [1, 2, 3, 4].map((n) => `019c0000-0000-7000-8000-00000000010${String(n)}`);
  const accountNumber = new SecretCipher(old).encrypt("000123456789");
  const correction = JSON.stringify({ accountNumber });
  const submission = JSON.stringify({ data: { counterpartyAccountNumber: accountNumber } });
  await sql(
    `insert into rails.instruction (order_id, book_id, pending_action, pending_code, pending_corrected_data)
     values ($1, $1, 'notice_of_change', 'C01', $3), ($2, $2, null, null, null)`,
    [asked, due, correction],
  );
  await sql(
    `insert into rails.step (order_id, number, kind, code, corrected_data)
     values ($1, 1, 'NoticeOfChange', 'C01', $2), ($1, 2, 'NoticeOfChange', 'C04', '{"name": "Ada"}')`,
    [due, correction],
  );
  await sql(
    `insert into rails.undelivered_instruction (order_id, book_id, kind, message_id, submission)
     values ($1, $1, 'Held', $1, $3), ($2, $2, 'Lost', $2, $3)`,
    [held, lost, submission],
  );
  expect((await run(["status"], { numbers: fresh })).out).toEqual([
    "still encrypted with k1: 1 instructions that an outage holds",
    "still encrypted with k1: 1 notices of change at rails",
    "still encrypted with k1: 1 notices of change that wait for a hand-off",
    "keep k1 in ENCRYPTION_KEYS, after k2",
    "left out: signing secrets, because SIGNING_SECRET_KEYS is not set",
  ]);
});

it("rotate re-encrypts the signing secrets, which stay the same", async () => {
  expect(await rotate([fresh, old, older].join(","))).toMatchObject({
    code: 0,
    out: [
      numbersLeftOut,
      "re-encrypted with k2: 3 signing secrets",
      "every signing secret is encrypted with k2",
    ],
  });
  const stored = await sql<{ keyId: string; ciphertext: string }>(
    `select key_id as "keyId", ciphertext from endpoint_secret order by version`,
  );
  const onlyFresh = new SecretCipher(fresh);
  expect(stored.map((secret) => onlyFresh.decrypt(secret))).toEqual([
    "whsec_first",
    "whsec_second",
    "whsec_third",
  ]);
});

it("rotate names the key that is missing, and the variable that lacks it", async () => {
  const { code, error } = await rotate([fresh, old].join(","));
  expect([code, error.at(-1)]).toEqual([1, "no key k0 among SIGNING_SECRET_KEYS"]);
});

it("fails if no list of keys is set", async () => {
  const { code, error } = await run(["status"], {});
  expect([code, error.join()]).toEqual([
    1,
    expect.stringContaining("set ENCRYPTION_KEYS (of orders) and SIGNING_SECRET_KEYS"),
  ]);
});
