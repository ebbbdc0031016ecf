import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { claimPort } from "../../local/processes/ports.ts";
import { runCommandLine } from "./command-line.ts";
import { operatorDatabase, operatorNats, readAccess } from "./connections.ts";
import { streamsTool } from "../streams.ts";
import { tenants } from "../tenants.ts";
import type { Tool } from "./tool.ts";

const servers: Server[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close();
});

/** The port of a server that takes connections and never says anything. */
async function silentPort(): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as { port: number }).port;
}

function name(natsPort: number, postgresPort: number): void {
  vi.stubEnv("NATS_URL", `nats://operator:hidden@127.0.0.1:${String(natsPort)}`);
  vi.stubEnv("NATS_PASSWORD", "hidden");
  vi.stubEnv("DATABASE_URL", `postgres://owner:hidden@127.0.0.1:${String(postgresPort)}/postgres`);
}

async function complaintOf(tool: Tool, ...args: string[]): Promise<[number, string]> {
  const errors: string[] = [];
  const streams = { out: () => undefined, error: (line: string) => errors.push(line) };
  return [await runCommandLine(tool, args, streams), errors.join("\n")];
}

describe("the system of an operator's command", () => {
  it("is the one that runs from this clone, or one that the environment names alone", async () => {
    const folder = await mkdtemp(join(tmpdir(), "connections-"));
    const own = { DATABASE_URL: "postgres://own", NATS_URL: "nats://own", NATS_PASSWORD: "own" };
    expect(await readAccess({}, folder)).toEqual({});
    await writeFile(
      join(folder, "sandbox.json"),
      JSON.stringify({ databaseUrl: own.DATABASE_URL, natsUrl: own.NATS_URL }),
    );
    await writeFile(
      join(folder, "secrets.json"),
      JSON.stringify({
        natsPasswords: { operator: own.NATS_PASSWORD },
        accountNumberKeys: "k",
        signingSecretKeys: "s",
      }),
    );
    const whole = { ...own, ENCRYPTION_KEYS: "k", SIGNING_SECRET_KEYS: "s" };
    expect(await readAccess({ NATS_URL: "" }, folder)).toEqual(whole);
    expect(await readAccess({ DATABASE_URL: own.DATABASE_URL }, folder)).toEqual(whole);
    const other = { DATABASE_URL: "postgres://other" };
    expect(await readAccess({ ...other, NATS_PASSWORD: own.NATS_PASSWORD }, folder)).toEqual({
      ...other,
      NATS_PASSWORD: own.NATS_PASSWORD,
    });
    await rm(folder, { recursive: true });
  });
});

describe("an operator's command", () => {
  it("names the server that it can't reach, never its password, and exits with 1", async () => {
    const port = await claimPort();
    name(port, port);
    expect(await complaintOf(streamsTool, "provision")).toEqual([
      1,
      `no NATS at nats://127.0.0.1:${String(port)}: run \`make start\`, or set NATS_URL`,
    ]);
    expect(await complaintOf(tenants, "list")).toEqual([
      1,
      `no Postgres at 127.0.0.1:${String(port)}: run \`make start\`, or set DATABASE_URL`,
    ]);
  });

  it("gives up on a server that does not answer", async () => {
    const port = await silentPort();
    name(port, port);
    await expect(operatorNats(50)).rejects.toThrow(`no NATS at nats://127.0.0.1:${String(port)}: `);
    await expect(operatorDatabase(50)).rejects.toThrow(`no Postgres at 127.0.0.1:${String(port)}: `);
  });
});
