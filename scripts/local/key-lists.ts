/** The lists of keys among the secrets: a key is added, preferred, then the older one removed. */
import { randomBytes } from "node:crypto";
import type { SystemSecrets } from "./secrets.ts";

const lists = { "account-numbers": "accountNumberKeys", "signing-secrets": "signingSecretKeys" } as const;

export type KeyStep = "add-key" | "prefer-key" | "remove-key";
export const isKeyStep = (step: string | undefined): step is KeyStep =>
  step === "add-key" || step === "prefer-key" || step === "remove-key";

/** The secrets after this step, and what a person has to know. No text has a key, only its id. */
export function changeKeys(
  secrets: SystemSecrets,
  step: KeyStep,
  [list, id]: readonly string[],
): { secrets: SystemSecrets; done: string } {
  if (list !== "account-numbers" && list !== "signing-secrets")
    throw new Error(`${step} needs one of ${Object.keys(lists).join(", ")}`);
  const name = lists[list];
  const keys = secrets[name].split(",");
  const ids = keys.map(idOf);
  const withKeys = (changed: readonly string[]) => ({ ...secrets, [name]: changed.join(",") });
  if (step === "add-key") {
    const key = newKey();
    return {
      secrets: withKeys([...keys, key]),
      done: `added ${idOf(key)}: restart the services, then prefer-key ${list} ${idOf(key)}`,
    };
  }
  const chosen = keys.find((key) => idOf(key) === id);
  if (chosen === undefined) throw new Error(`${step} ${list} needs one of ${ids.join(", ")}`);
  const others = keys.filter((key) => key !== chosen);
  if (step === "prefer-key")
    return {
      secrets: withKeys([chosen, ...others]),
      done: `${idOf(chosen)} encrypts once the services have restarted; then re-encrypt`,
    };
  if (chosen === keys[0]) throw new Error(`${idOf(chosen)} encrypts: prefer another key before`);
  return { secrets: withKeys(others), done: `removed ${idOf(chosen)}: restart the services` };
}

const idOf = (key: string) => key.replace(/:.*/, "");

/** Its id is never used again: rows name the key that decrypts them. */
function newKey(): string {
  const id = `${new Date().toISOString().slice(0, 10)}-${randomBytes(3).toString("hex")}`;
  return `${id}:${randomBytes(32).toString("base64")}`;
}
