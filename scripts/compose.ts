/**
 * The steps that docker-compose.yml runs before the services: `configure` generates the secrets and configuration
 * files, `prepare` migrates and creates the streams, `tenant NAME` creates a tenant and prints its keys.
 */
import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Service, services } from "../contracts/message.ts";
import { natsConfig } from "../services/platform/nats/nats-config.ts";
import { assertOwnVersion } from "./local/older-database.ts";
import { readOrCreateSecrets, secretEnvironment, type SystemSecrets } from "./local/secrets.ts";
import { seedTenant } from "./local/seed.ts";
import { prepareSystem } from "./local/system.ts";

const folder = process.env["CONFIGURATION_FOLDER"] ?? "/configuration";
const postgresHost = process.env["POSTGRES_HOST"] ?? "postgres:5432";
const natsUrl = process.env["NATS_URL"] ?? "nats://nats:4222";
const port = 8080;

const [step, ...rest] = process.argv.slice(2);
const secrets = await readOrCreateSecrets(join(folder, "secrets.json"));
if (step === "configure") await configure();
else if (step === "prepare") await prepare();
else if (step === "tenant") await makeTenant(rest[0] ?? "Demo");
else throw new Error(`compose.ts knows configure, prepare and tenant, not ${step ?? "nothing"}`);

async function configure(): Promise<void> {
  await mkdir(folder, { recursive: true });
  await share("nats.conf", natsConfig(secrets.natsPasswords));
  // A separate password, so that no service's role can become the superuser. Generated once, like the data.
  const passwordFile = "postgres-password";
  const existing = await readFile(join(folder, passwordFile), "utf8").catch(() => undefined);
  await share(passwordFile, existing ?? randomBytes(24).toString("hex"));
  for (const service of services) await share(`${service}.env`, environmentFile(service, secrets));
}

async function prepare(): Promise<void> {
  const url = await adminUrl();
  await assertOwnVersion(url, "docker compose down --volumes && docker compose up --build");
  await prepareSystem({ adminUrl: url, natsUrl, secrets });
}

// Readable by all, because each container runs as another user. Only this project's containers see the volume.
async function share(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text);
  await chmod(join(folder, name), 0o644);
}

/** The format of `node --env-file`. */
function environmentFile(service: Service, { natsPasswords, ...others }: SystemSecrets): string {
  const variables = {
    DATABASE_URL: databaseUrl(service, others.rolePasswords[service]),
    NATS_URL: natsUrl,
    NATS_USER: service,
    NATS_PASSWORD: natsPasswords[service],
    HOST: "0.0.0.0",
    PORT: String(port),
    // The port is not published, so only this network's containers can read it.
    ...(service === "gateway" ? { OPERATIONS_HOST: "0.0.0.0", OPERATIONS_PORT: String(port + 1) } : {}),
    ...secretEnvironment(service, secrets),
    SINK_BASE_URL: `http://127.0.0.1:${port}`,
    // Test sinks are in the webhooks container itself; no other container is a receiver.
    ALLOWED_TARGET_CIDRS: "127.0.0.0/8",
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return `${lines.join("\n")}\n`;
}

async function adminUrl(): Promise<string> {
  return databaseUrl("postgres", await readFile(join(folder, "postgres-password"), "utf8"));
}

function databaseUrl(user: string, password: string): string {
  return `postgres://${user}:${encodeURIComponent(password)}@${postgresHost}/postgres`;
}

async function makeTenant(name: string): Promise<void> {
  const { tenant, keys } = await seedTenant(databaseUrl("gateway", secrets.rolePasswords.gateway), name);
  console.log(JSON.stringify({ tenant, keys }, undefined, 2));
}
