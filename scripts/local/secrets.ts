/** The secrets of a local run, made once and kept beside its data. */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type Service, services } from "../../contracts/message.ts";

export interface SystemSecrets {
  /** Of the services' database roles. */
  readonly rolePasswords: Readonly<Record<Service, string>>;
  readonly natsPasswords: Readonly<Record<Service | "operator", string>>;
  /** `keyId:base64`: seals account numbers. Lost, they can't be read any more. */
  readonly accountNumberKeys: string;
  /** `keyId:base64`: seals webhook signing secrets. */
  readonly signingSecretKeys: string;
  /** Base64: binds Idempotency-Keys to bodies. */
  readonly fingerprintKey: string;
  /** Base64: finds the numbers of virtual accounts. Lost, none is found any more. */
  readonly numberLookupKey: string;
}

export function makeSecrets(): SystemSecrets {
  const password = () => randomBytes(24).toString("base64url");
  return {
    rolePasswords: Object.fromEntries(services.map((service) => [service, password()])) as Record<
      Service,
      string
    >,
    natsPasswords: Object.fromEntries([...services, "operator"].map((user) => [user, password()])) as Record<
      Service | "operator",
      string
    >,
    accountNumberKeys: `local-1:${randomBytes(32).toString("base64")}`,
    signingSecretKeys: `local-1:${randomBytes(32).toString("base64")}`,
    fingerprintKey: randomBytes(32).toString("base64"),
    numberLookupKey: randomBytes(32).toString("base64"),
  };
}

/** The secrets in `file`, made the first time; readable by its owner alone. */
export async function readOrMakeSecrets(file: string): Promise<SystemSecrets> {
  const kept = await readFile(file, "utf8").catch(() => undefined); // not there yet: made below
  const before = kept === undefined ? {} : (JSON.parse(kept) as Partial<SystemSecrets>);
  // A file of an earlier version lacks the secrets that came since.
  const secrets = { ...makeSecrets(), ...before };
  if (Object.keys(before).length === Object.keys(secrets).length) return secrets;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  return secrets;
}

/** The secrets that one service needs, and no other's. */
export function secretEnvironment(service: Service, secrets: SystemSecrets): Record<string, string> {
  if (service === "gateway")
    return { ENCRYPTION_KEYS: secrets.accountNumberKeys, FINGERPRINT_KEY: secrets.fingerprintKey };
  if (service === "webhooks") return { ENCRYPTION_KEYS: secrets.signingSecretKeys };
  const sealing = { ENCRYPTION_KEYS: secrets.accountNumberKeys };
  return service === "ledger" ? { ...sealing, NUMBER_LOOKUP_KEY: secrets.numberLookupKey } : sealing;
}
