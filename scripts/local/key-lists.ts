/**
 * The lists of keys among the secrets: a key is added, preferred, then the older one removed. A removed key is kept
 * among the retired ones, because no row that still needs it could be read without it.
 */
import { randomBytes } from "node:crypto";
import type { SystemSecrets } from "./secrets.ts";

const lists = { "account-numbers": "accountNumberKeys", "signing-secrets": "signingSecretKeys" } as const;
type ListName = (typeof lists)[keyof typeof lists];

const keySteps = ["add-key", "prefer-key", "remove-key", "restore-key"] as const;
export type KeyStep = (typeof keySteps)[number];
export const isKeyStep = (step: string | undefined): step is KeyStep =>
  keySteps.some((known) => known === step);

/** The secrets after a step, and what a person has to know. No text has a key, only its id. */
interface Changed {
  readonly secrets: SystemSecrets;
  readonly done: string;
}

export function changeKeys(secrets: SystemSecrets, step: KeyStep, [list, id]: readonly string[]): Changed {
  if (list !== "account-numbers" && list !== "signing-secrets")
    throw new Error(`${step} needs one of ${Object.keys(lists).join(", ")}`);
  const name = lists[list];
  const keys = keysIn(secrets[name]);
  if (step === "add-key") {
    const key = newKey();
    return {
      secrets: { ...secrets, [name]: listOf([...keys, key]) },
      done: `added ${idOf(key)}: restart the services, then prefer-key ${list} ${idOf(key)}`,
    };
  }
  const retired = keysIn(secrets.retiredKeys?.[name]);
  const chosen = chooseFrom(step === "restore-key" ? retired : keys, id, `${step} ${list}`);
  const others = without(keys, chosen);
  if (step === "prefer-key")
    return {
      secrets: { ...secrets, [name]: listOf([chosen, ...others]) },
      done: `${idOf(chosen)} encrypts once the services have restarted; then re-encrypt`,
    };
  if (step === "restore-key")
    return {
      // Behind the others: it decrypts, and encrypts nothing.
      secrets: withLists(secrets, name, [...keys, chosen], without(retired, chosen)),
      done: `restored ${idOf(chosen)}: restart the services`,
    };
  if (chosen === keys[0]) throw new Error(`${idOf(chosen)} encrypts: prefer another key before`);
  return {
    secrets: withLists(secrets, name, others, [...retired, chosen]),
    done: `removed ${idOf(chosen)}: restart the services. What it encrypted can't be read without it: restore-key ${list} ${idOf(chosen)} puts it back`,
  };
}

function chooseFrom(keys: readonly string[], id: string | undefined, command: string): string {
  const chosen = keys.find((key) => idOf(key) === id);
  if (chosen !== undefined) return chosen;
  throw new Error(
    keys.length === 0
      ? `${command}: no key was removed`
      : `${command} needs one of ${keys.map(idOf).join(", ")}`,
  );
}

function withLists(
  secrets: SystemSecrets,
  name: ListName,
  keys: readonly string[],
  retired: readonly string[],
): SystemSecrets {
  return {
    ...secrets,
    [name]: listOf(keys),
    retiredKeys: { ...secrets.retiredKeys, [name]: listOf(retired) },
  };
}

const keysIn = (list = ""): string[] => list.split(",").filter((key) => key !== "");
const listOf = (keys: readonly string[]): string => keys.join(",");
const without = (keys: readonly string[], one: string): string[] => keys.filter((key) => key !== one);
const idOf = (key: string) => key.replace(/:.*/, "");

/** Its id is never used again: rows name the key that decrypts them. */
function newKey(): string {
  const id = `${new Date().toISOString().slice(0, 10)}-${randomBytes(3).toString("hex")}`;
  return `${id}:${randomBytes(32).toString("base64")}`;
}
