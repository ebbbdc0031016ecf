/**
 * The steps that docker-compose.yml runs before the services: `configure` generates the secrets and gives each
 * container its own, `prepare` migrates and creates the streams, `tenant NAME` creates a tenant and prints its keys.
 * `add-key`, `prefer-key`, `remove-key` and `restore-key` change the keys that encrypt, and run as `configure` does.
 */
import { randomBytes } from "node:crypto";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Service, services } from "../contracts/message.ts";
import { natsConfig } from "../services/platform/nats/nats-config.ts";
import { warningOfNewerVersion } from "./local/older-database.ts";
import { changeKeys, isKeyStep, type KeyStep } from "./local/key-lists.ts";
import { readIfThere } from "./local/files/read-if-there.ts";
import { readOrCreateSecrets, secretEnvironment, type SystemSecrets } from "./local/secrets.ts";
import { seedTenant } from "./local/demo/seed.ts";
import { onlyWhatItReads } from "./local/service-settings.ts";
import { prepareSystem } from "./local/system.ts";
import { writePrivateFile } from "./local/files/write-private-file.ts";

/** All secrets; only `configure` can read it. */
const folder = process.env["CONFIGURATION_FOLDER"] ?? "/configuration";
/** A folder for each container, which that container alone can read. */
const shares = process.env["SHARES_FOLDER"] ?? "/shares";
const postgresHost = process.env["POSTGRES_HOST"] ?? "postgres:5432";
const natsUrl = process.env["NATS_URL"] ?? "nats://nats:4222";
const port = 8080;
const secretsFile = join(folder, "secrets.json");

const [step, ...rest] = process.argv.slice(2);
if (step === "configure") await configure(await readOrCreateSecrets(secretsFile));
else if (isKeyStep(step)) await changeKeysAndConfigure(step);
else if (step === "prepare") await prepare();
else if (step === "tenant") await makeTenant(rest[0] ?? "Demo");
else
  throw new Error(
    `compose.ts knows configure, prepare, tenant, add-key, prefer-key, remove-key and restore-key, not ${step ?? "nothing"}`,
  );

async function configure(secrets: SystemSecrets): Promise<void> {
  const postgresPassword = await readOrCreatePassword(join(folder, "postgres-password"));
  await share("postgres", "password", postgresPassword);
  await share("nats", "nats.conf", `${natsConfig(secrets.natsPasswords)}http: "127.0.0.1:8222"\n`);
  await share("operator", "operator.env", environmentFile(operatorEnvironment(secrets, postgresPassword)));
  await share(
    "encryption",
    "encryption.env",
    environmentFile(encryptionEnvironment(secrets, postgresPassword)),
  );
  for (const service of services) {
    const variables = onlyWhatItReads(service, serviceEnvironment(service, secrets));
    await share(service, `${service}.env`, environmentFile(variables));
  }
}

/** The keys are made here, so that none is ever an argument. */
async function changeKeysAndConfigure(change: KeyStep): Promise<void> {
  const { secrets, done } = changeKeys(await readOrCreateSecrets(secretsFile), change, rest);
  await writePrivateFile(secretsFile, JSON.stringify(secrets, null, 2));
  await configure(secrets);
  console.log(done);
}

/** A separate password, so that no service's role can become the superuser. Generated once, like the data. */
async function readOrCreatePassword(file: string): Promise<string> {
  const existing = await readIfThere(file); // the first run has none
  // An empty one is left from a crash of an earlier version: no Postgres starts with it.
  if (existing !== undefined && existing !== "") return existing;
  const password = randomBytes(24).toString("hex");
  await writePrivateFile(file, password);
  return password;
}

/**
 * Readable by all, because each container runs as another user; only the reader's container mounts the folder. A file
 * with the same text keeps its time, which tells whether its reader started after the last change.
 */
async function share(reader: string, name: string, text: string): Promise<void> {
  const file = join(shares, reader, name);
  await mkdir(join(shares, reader), { recursive: true });
  if ((await readIfThere(file)) !== text) await writeFile(file, text);
  await chmod(file, 0o644);
}

function serviceEnvironment(service: Service, secrets: SystemSecrets): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl(service, secrets.rolePasswords[service]),
    NATS_URL: natsUrl,
    NATS_USER: service,
    NATS_PASSWORD: secrets.natsPasswords[service],
    HOST: "0.0.0.0",
    PORT: String(port),
    // The port is not published, so only this network's containers can read it.
    ...(service === "gateway" ? { OPERATIONS_HOST: "0.0.0.0", OPERATIONS_PORT: String(port + 1) } : {}),
    ...secretEnvironment(service, secrets),
    SINK_BASE_URL: `http://127.0.0.1:${port}`,
    // Test sinks are in the webhooks container itself; no other container is a receiver.
    ALLOWED_TARGET_CIDRS: "127.0.0.0/8",
  };
}

/** What the operator's tools read, and the passwords of the roles that `prepare` creates. No key decrypts anything. */
function operatorEnvironment(secrets: SystemSecrets, postgresPassword: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl("postgres", postgresPassword),
    NATS_URL: natsUrl,
    NATS_PASSWORD: secrets.natsPasswords.operator,
    ...Object.fromEntries(services.map((service) => [roleVariable(service), secrets.rolePasswords[service]])),
  };
}

/** What `npm run encryption` reads. */
function encryptionEnvironment(secrets: SystemSecrets, postgresPassword: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl("postgres", postgresPassword),
    ENCRYPTION_KEYS: secrets.accountNumberKeys,
    SIGNING_SECRET_KEYS: secrets.signingSecretKeys,
  };
}

function roleVariable(service: Service): string {
  return `${service.toUpperCase()}_ROLE_PASSWORD`;
}

/** The format of `node --env-file`. */
function environmentFile(variables: Readonly<Record<string, string>>): string {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return `${lines.join("\n")}\n`;
}

async function prepare(): Promise<void> {
  const adminUrl = given("DATABASE_URL");
  const warning = await warningOfNewerVersion(adminUrl);
  if (warning !== undefined) console.warn(warning);
  const rolePasswords = Object.fromEntries(
    services.map((service) => [service, given(roleVariable(service))]),
  ) as Record<Service, string>;
  const natsPasswords = { operator: given("NATS_PASSWORD") };
  await prepareSystem({ adminUrl, natsUrl, secrets: { rolePasswords, natsPasswords } });
}

async function makeTenant(name: string): Promise<void> {
  const { tenant, keys } = await seedTenant(databaseUrl("gateway", given(roleVariable("gateway"))), name);
  console.log(JSON.stringify({ tenant, keys }, undefined, 2));
}

/** A variable of operator.env. */
function given(name: string): string {
  const value = process.env[name];
  if (value === undefined)
    throw new Error(`${name} is missing: start with --env-file=/configuration/operator.env`);
  return value;
}

function databaseUrl(user: string, password: string): string {
  return `postgres://${user}:${encodeURIComponent(password)}@${postgresHost}/postgres`;
}
