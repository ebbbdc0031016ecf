import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv, promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SecretCipher } from "../services/platform/encryption/secret-cipher.ts";
import { render } from "../test/stack/rendered-compose.ts";

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "compose-keys-"));
  await compose("configure");
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

async function compose(...args: string[]): Promise<string> {
  const env = {
    PATH: process.env["PATH"],
    CONFIGURATION_FOLDER: join(scratch, "configuration"),
    SHARES_FOLDER: join(scratch, "shares"),
  };
  const script = join(import.meta.dirname, "compose.ts");
  return (await promisify(execFile)(process.execPath, [script, ...args], { env })).stdout;
}
/** What a container's file sets. */
async function environmentOf(reader: string): Promise<NodeJS.Dict<string>> {
  return parseEnv(await readFile(join(scratch, "shares", reader, `${reader}.env`), "utf8"));
}
const idsIn = (keys = "") => keys.split(",").map((key) => key.replace(/:.*/, ""));
const holders = ["gateway", "orders", "ledger", "rails"];

describe("a key of account numbers in the containers", () => {
  it("is added behind the others, preferred and removed, without ever being shown", async () => {
    const before = await environmentOf("orders");
    const encrypted = new SecretCipher(before["ENCRYPTION_KEYS"] ?? "").encrypt("123456789");
    const added = await compose("add-key", "account-numbers");
    const [, id = ""] =
      /^added (\S+): restart the services, then prefer-key account-numbers /.exec(added) ?? [];
    const withBoth = (await environmentOf("orders"))["ENCRYPTION_KEYS"] ?? "";
    expect(idsIn(withBoth)).toEqual(["local-1", id]);
    for (const key of withBoth.split(",")) expect(added).not.toContain(key.replace(/.*?:/, ""));

    await compose("prefer-key", "account-numbers", id);
    await compose("configure"); // as each `docker compose up` does
    for (const reader of [...holders, "encryption"]) {
      const keys = (await environmentOf(reader))["ENCRYPTION_KEYS"] ?? "";
      expect([reader, idsIn(keys)]).toEqual([reader, [id, "local-1"]]);
      expect(new SecretCipher(keys).decrypt(encrypted)).toBe("123456789");
    }
    await expect(compose("remove-key", "account-numbers", id)).rejects.toThrow("prefer another key before");
    await compose("remove-key", "account-numbers", "local-1");
    expect(idsIn((await environmentOf("orders"))["ENCRYPTION_KEYS"])).toEqual([id]);
    const { ENCRYPTION_KEYS: webhooks } = await environmentOf("webhooks");
    expect(idsIn(webhooks)).toEqual(["local-1"]);
  });

  it("is kept when it is removed, given to no container, and can be restored", async () => {
    await compose("add-key", "account-numbers");
    const { ENCRYPTION_KEYS: before = "" } = await environmentOf("orders");
    const [first, key = ""] = before.split(",");
    const [id = "", secret = ""] = key.split(":");
    expect(await compose("remove-key", "account-numbers", id)).toContain(
      `restore-key account-numbers ${id} puts it back`,
    );
    await compose("configure"); // as each `docker compose up` does
    for (const reader of await readdir(join(scratch, "shares"))) {
      for (const name of await readdir(join(scratch, "shares", reader)))
        expect(await readFile(join(scratch, "shares", reader, name), "utf8")).not.toContain(secret);
    }
    await expect(compose("restore-key", "signing-secrets", id)).rejects.toThrow("no key was removed");
    await expect(compose("restore-key", "account-numbers", "k9")).rejects.toThrow("needs one of ");
    const restored = await compose("restore-key", "account-numbers", id);
    expect(restored).toBe(`restored ${id}: restart the services\n`);
    const { ENCRYPTION_KEYS: after = "" } = await environmentOf("orders");
    expect([after.split(",")[0], after.split(",").at(-1)]).toEqual([first, key]);
    await expect(compose("restore-key", "account-numbers", id)).rejects.toThrow();
  });

  it("changes no other secret, and needs a list and a key that are known", async () => {
    const { ENCRYPTION_KEYS, ...others } = await environmentOf("webhooks");
    await compose("add-key", "signing-secrets");
    const { ENCRYPTION_KEYS: after = "", ...same } = await environmentOf("webhooks");
    expect(same).toEqual(others);
    expect(after.startsWith(`${ENCRYPTION_KEYS ?? ""},`)).toBe(true);
    expect((await environmentOf("encryption"))["SIGNING_SECRET_KEYS"]).toBe(after);
    await expect(compose("add-key")).rejects.toThrow("needs one of account-numbers, signing-secrets");
    await expect(compose("prefer-key", "signing-secrets", "k9")).rejects.toThrow("needs one of local-1, ");
  });
});

it("the container that re-encrypts is started by an operator only, with its keys from a file", () => {
  const { encryption = {} } = render().services;
  expect(encryption["profiles"]).toEqual(["encryption"]);
  expect(encryption.entrypoint).toContain("--env-file=/configuration/encryption.env");
  expect(encryption.environment).toBeUndefined();
});
