import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv, promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gatewayConfig } from "../services/api-gateway/config.ts";
import { ledgerConfig } from "../services/ledger/config.ts";
import { config as ordersConfig } from "../services/orders/config.ts";
import { readConfig } from "../services/platform/process/config.ts";
import { operatorSettingsOf } from "./local/service-settings.ts";
import { railsConfig } from "../services/rails-simulator/config.ts";
import { webhooksConfig } from "../services/webhooks/config.ts";
import { type Container, mountsOf, render } from "../test/stack/rendered-compose.ts";

const root = join(import.meta.dirname, "..");
let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "compose-"));
  const env = {
    PATH: process.env["PATH"],
    CONFIGURATION_FOLDER: join(scratch, "configuration"),
    SHARES_FOLDER: join(scratch, "shares"),
  };
  const configure = [join(root, "scripts/compose.ts"), "configure"];
  await promisify(execFile)(process.execPath, configure, { env });
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const containers = () => Object.entries(render().services);

/** What `configure` wrote into a volume: path within the volume, and text. */
async function filesOf(volume: string): Promise<[string, string][]> {
  const writer = mountsOf(render().services["configure"] ?? {}).find((mount) => mount.volume === volume);
  if (writer === undefined) return []; // data of a server
  const folder = join(scratch, writer.at);
  const names = (await readdir(folder)).toSorted();
  return Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const),
  ) as never;
}

/** Every file that a container can read, by the path at which it finds it. */
async function readableBy(container: Container): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { volume, at } of mountsOf(container))
    for (const [name, text] of await filesOf(volume)) found.set(`${at}/${name}`, text);
  return found;
}

/** Every secret by its name, such as `rolePasswords.orders`. */
async function allSecrets(): Promise<[string, string][]> {
  const folder = join(scratch, "configuration");
  const secrets = JSON.parse(await readFile(join(folder, "secrets.json"), "utf8")) as object;
  const named = Object.entries(secrets).flatMap(([name, value]: [string, string | object]) =>
    typeof value === "string"
      ? [[name, value] as [string, string]]
      : Object.entries(value).map(
          ([member, text]) => [`${name}.${member}`, String(text)] as [string, string],
        ),
  );
  return [...named, ["postgresPassword", await readFile(join(folder, "postgres-password"), "utf8")]];
}

const everySecret = [
  "accountNumberKeys",
  "fingerprintKey",
  "natsPasswords.gateway",
  "natsPasswords.ledger",
  "natsPasswords.operator",
  "natsPasswords.orders",
  "natsPasswords.rails",
  "natsPasswords.webhooks",
  "numberLookupKey",
  "postgresPassword",
  "rolePasswords.gateway",
  "rolePasswords.ledger",
  "rolePasswords.orders",
  "rolePasswords.rails",
  "rolePasswords.webhooks",
  "signingSecretKeys",
];

/** Who can read what: nothing else is in any container. */
const mayRead: Readonly<Record<string, { files: readonly string[]; secrets: readonly string[] }>> = {
  // Runs before all others, without a network, and ends.
  configure: {
    files: [
      "/configuration/postgres-password",
      "/configuration/secrets.json",
      "/shares/encryption/encryption.env",
      "/shares/gateway/gateway.env",
      "/shares/ledger/ledger.env",
      "/shares/nats/nats.conf",
      "/shares/operator/operator.env",
      "/shares/orders/orders.env",
      "/shares/postgres/password",
      "/shares/rails/rails.env",
      "/shares/webhooks/webhooks.env",
    ],
    secrets: everySecret,
  },
  postgres: { files: ["/configuration/password"], secrets: ["postgresPassword"] },
  nats: {
    files: ["/configuration/nats.conf"],
    secrets: everySecret.filter((name) => name.startsWith("natsPasswords.")),
  },
  // The operator: the database's owner, and the roles that it creates. It can decrypt nothing.
  prepare: {
    files: ["/configuration/operator.env"],
    secrets: [
      "natsPasswords.operator",
      "postgresPassword",
      ...everySecret.filter((name) => name.startsWith("rolePasswords.")),
    ],
  },
  // Started by an operator only, to re-encrypt.
  encryption: {
    files: ["/configuration/encryption.env"],
    secrets: ["accountNumberKeys", "postgresPassword", "signingSecretKeys"],
  },
  "api-gateway": {
    files: ["/configuration/gateway.env"],
    secrets: ["accountNumberKeys", "fingerprintKey", "natsPasswords.gateway", "rolePasswords.gateway"],
  },
  orders: {
    files: ["/configuration/orders.env"],
    secrets: ["accountNumberKeys", "natsPasswords.orders", "rolePasswords.orders"],
  },
  ledger: {
    files: ["/configuration/ledger.env"],
    secrets: ["accountNumberKeys", "natsPasswords.ledger", "numberLookupKey", "rolePasswords.ledger"],
  },
  "rails-simulator": {
    files: ["/configuration/rails.env"],
    secrets: ["accountNumberKeys", "natsPasswords.rails", "rolePasswords.rails"],
  },
  webhooks: {
    files: ["/configuration/webhooks.env"],
    secrets: ["natsPasswords.webhooks", "rolePasswords.webhooks", "signingSecretKeys"],
  },
};

const servers = ["postgres", "nats"];
const configs = {
  "api-gateway": ["gateway", gatewayConfig],
  orders: ["orders", ordersConfig],
  ledger: ["ledger", ledgerConfig],
  "rails-simulator": ["rails", railsConfig],
  webhooks: ["webhooks", webhooksConfig],
} as const;

describe("who can read what in the containers", () => {
  it("is listed here for every container", () => {
    expect(Object.keys(render().services).toSorted()).toEqual(Object.keys(mayRead).toSorted());
  });

  it.each(Object.entries(mayRead))("%s reads its own files and secrets only", async (name, expected) => {
    const container = render().services[name] ?? {};
    const files = await readableBy(container);
    expect([...files.keys()].toSorted()).toEqual(expected.files.toSorted());
    const text = [...files.values(), JSON.stringify(container)].join("\n");
    const secrets = (await allSecrets())
      .filter(([, secret]) => text.includes(secret))
      .map(([named]) => named);
    expect(secrets.toSorted()).toEqual(expected.secrets.toSorted());
  });

  it("generates every secret that is listed here", async () => {
    expect((await allSecrets()).map(([name]) => name).toSorted()).toEqual(everySecret);
  });

  it.each(Object.entries(configs))(
    "%s is given what its config.ts reads, and no more",
    async (name, [user, config]) => {
      const container = render().services[name] ?? {};
      const [text = ""] = (await readableBy(container)).values();
      const variables = parseEnv(text);
      expect(readConfig(config, variables)).toMatchObject({ NATS_USER: user });
      const passedOn = container.environment ?? [];
      expect(passedOn).toBeInstanceOf(Array);
      const names = (passedOn as readonly string[]).map((variable) => variable.replace(/=.*/, ""));
      const given = [...Object.keys(variables), ...names];
      expect(given.filter((variable) => !Object.hasOwn(config.shape, variable))).toEqual([]);
      expect(container.command?.[0]).toBe(`--env-file=/configuration/${user}.env`);
    },
  );

  it.each(Object.entries(configs))(
    "%s gets each of its settings that the shell sets",
    async (name, [user]) => {
      const container = render().services[name] ?? {};
      const [text = ""] = (await readableBy(container)).values();
      const given = (container.environment as readonly string[]).map((variable) =>
        variable.replace(/=.*/, ""),
      );
      const chosen = Object.keys(parseEnv(text));
      const left = operatorSettingsOf(user).filter((setting) => !chosen.includes(setting));
      expect(given.toSorted()).toEqual(left.toSorted());
    },
  );

  it("lets only configure write into a volume that others read", () => {
    const writers = containers().flatMap(([name, container]) =>
      mountsOf(container).flatMap(({ volume, writable }) => (writable ? [`${name} → ${volume}`] : [])),
    );
    const shared = Object.keys(render().volumes).filter((volume) => !servers.includes(volume));
    expect(writers.toSorted()).toEqual(
      ["nats → nats", "postgres → postgres", ...shared.map((volume) => `configure → ${volume}`)].toSorted(),
    );
    for (const volume of shared) {
      const readers = containers().filter(([, container]) =>
        mountsOf(container).some((mount) => mount.volume === volume),
      );
      expect(readers.length, volume).toBe(volume === "configuration" ? 1 : 2);
    }
  });
});

describe("every container", () => {
  it.each(Object.keys(mayRead))(
    "%s can write to its volumes and scratch only, and gains no right",
    (name) => {
      const container = render().services[name] ?? {};
      expect(container).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        mem_limit: expect.stringMatching(/^\d+g$/),
        pids_limit: expect.any(Number),
      });
      for (const setting of ["privileged", "cap_add", "devices", "pid", "ipc", "secrets", "env_file"])
        expect(container).not.toHaveProperty(setting);
      expect(container["network_mode"]).toBe(name === "configure" ? "none" : undefined);
      const { volumes } = render();
      for (const { volume } of mountsOf(container)) expect(volumes).toHaveProperty(volume);
    },
  );

  it.each([...servers, ...Object.keys(configs)])("%s is checked, and restarts", (name) => {
    const container = render().services[name] ?? {};
    expect(container.restart).toBe("unless-stopped");
    expect(container.healthcheck?.test[0]).toBe("CMD");
  });

  it("starts after what it needs is ready", () => {
    const after = Object.fromEntries(
      containers().map(([name, { depends_on = {} }]) => [
        name,
        Object.entries(depends_on).map(([other, { condition }]) => `${other} ${condition}`),
      ]),
    );
    const prepared = ["prepare service_completed_successfully"];
    expect(after).toEqual({
      configure: [],
      postgres: ["configure service_completed_successfully"],
      nats: ["configure service_completed_successfully"],
      prepare: ["postgres service_healthy", "nats service_healthy"],
      ...Object.fromEntries(["encryption", ...Object.keys(configs)].map((name) => [name, prepared])),
    });
  });

  it("publishes no port but the API's, on the loopback address", () => {
    const ports = (shell?: Record<string, string>) =>
      Object.entries(render(shell).services).flatMap(([name, container]) =>
        (container.ports ?? []).map((port) => `${name} ${port}`),
      );
    expect(ports()).toEqual(["api-gateway 127.0.0.1:8080:8080"]);
    expect(ports({ PORT: "9000" })).toEqual(["api-gateway 127.0.0.1:9000:8080"]);
  });
});

describe("NATS", () => {
  it("starts again when a new image has written its configuration", () => {
    const { nats = {} } = render().services;
    expect(nats.depends_on).toEqual({
      configure: { condition: "service_completed_successfully", restart: true },
    });
  });

  it("serves its monitoring port inside its container, where the health check reads it", async () => {
    const { nats = {} } = render().services;
    const config = (await readableBy(nats)).get("/configuration/nats.conf") ?? "";
    expect(config.match(/^http.*$/gm)).toEqual(['http: "127.0.0.1:8222"']);
    expect(nats.healthcheck?.test.at(-1)).toBe("http://127.0.0.1:8222/healthz");
  });
});
