/** The secrets of a local run, generated once and stored beside its data. */
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { type Service, services } from "../../contracts/message.ts";
import { readIfThere } from "./files/read-if-there.ts";
import { writePrivateFile } from "./files/write-private-file.ts";

export interface SystemSecrets {
  /** Of the services' database roles. */
  readonly rolePasswords: Readonly<Record<Service, string>>;
  readonly natsPasswords: Readonly<Record<Service | "operator", string>>;
  /** `keyId:base64`: encrypts account numbers. Without it they can't be read any more. */
  readonly accountNumberKeys: string;
  /** `keyId:base64`: encrypts webhook signing secrets. */
  readonly signingSecretKeys: string;
  /** Base64: binds Idempotency-Keys to bodies. */
  readonly fingerprintKey: string;
  /** Base64: the key of the hashes by which virtual account numbers are found. Without it none is found any more. */
  readonly numberLookupKey: string;
  /** Keys that were removed from the lists, `keyId:base64`. No service has them; they can be restored. */
  readonly retiredKeys?: RetiredKeys;
}

export type RetiredKeys = Readonly<Partial<Record<"accountNumberKeys" | "signingSecretKeys", string>>>;

/** What the operator needs to prepare a system. */
export interface OperatorSecrets {
  readonly rolePasswords: SystemSecrets["rolePasswords"];
  readonly natsPasswords: Pick<SystemSecrets["natsPasswords"], "operator">;
}

export function generateSecrets(): SystemSecrets {
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

/** The secrets in `file`, generated on the first run; only the file's owner can read it. */
export async function readOrCreateSecrets(file: string): Promise<SystemSecrets> {
  const text = await readIfThere(file); // the first run has none
  const stored = text === undefined ? {} : (JSON.parse(text) as Partial<SystemSecrets>);
  // A file of an earlier version lacks the secrets that were added since.
  const secrets = { ...generateSecrets(), ...stored };
  if (Object.keys(stored).length === Object.keys(secrets).length) return secrets;
  await mkdir(dirname(file), { recursive: true });
  await writePrivateFile(file, JSON.stringify(secrets, null, 2));
  return secrets;
}

/** The environment variables with the secrets that this service needs, and no others. */
export function secretEnvironment(service: Service, secrets: SystemSecrets): Record<string, string> {
  if (service === "gateway")
    return { ENCRYPTION_KEYS: secrets.accountNumberKeys, FINGERPRINT_KEY: secrets.fingerprintKey };
  if (service === "webhooks") return { ENCRYPTION_KEYS: secrets.signingSecretKeys };
  const encryption = { ENCRYPTION_KEYS: secrets.accountNumberKeys };
  return service === "ledger" ? { ...encryption, NUMBER_LOOKUP_KEY: secrets.numberLookupKey } : encryption;
}
