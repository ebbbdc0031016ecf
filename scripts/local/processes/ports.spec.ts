import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { assertPortsFree, claimPort, claimPorts, LOOPBACK } from "./ports.ts";

const node = process.execPath;

/** A process that claims ten ports from this one on, and lives until it is killed. */
function claimant(from: number): ChildProcess {
  const script = `
    import { claimPorts } from ${JSON.stringify(new URL("./ports.ts", import.meta.url).href)};
    console.log((await claimPorts(10, ${String(from)})).join());
    setInterval(() => {}, 1000);`;
  return spawn(node, ["--input-type=module-typescript", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function portsOf({ stdout }: ChildProcess): Promise<number[]> {
  if (stdout === null) throw new Error("its output is not read");
  const [line] = (await once(createInterface({ input: stdout }), "line")) as [string];
  return line.split(",").map(Number);
}

describe("claimed ports", () => {
  it("are no other process's, although nobody listens there yet, until this one ends", async () => {
    const from = await claimPort();
    const claimants = [claimant(from), claimant(from), claimant(from)];
    try {
      const ports = await Promise.all(claimants.map(portsOf));
      expect(new Set([from, ...ports.flat()]).size).toBe(31);
    } finally {
      for (const child of claimants) child.kill("SIGKILL");
      await Promise.all(claimants.map((child) => once(child, "exit")));
    }
  });

  it("are free again once the process that claimed them was killed, unless a program listens there", async () => {
    const child = claimant(await claimPort());
    const [first = 0] = await portsOf(child);
    child.kill("SIGKILL");
    await once(child, "exit");
    const server = createServer().listen(first, LOOPBACK);
    await once(server, "listening");
    expect(await claimPorts(1, first)).not.toContain(first);
    server.close();
    await once(server, "close");
    expect(await claimPorts(1, first)).toEqual([first]);
  });

  it("are all different", async () => {
    expect(new Set(await claimPorts(20)).size).toBe(20);
  });

  it("are none that the system gives to outgoing connections", async () => {
    const ports = await claimPorts(20);
    expect(ports.filter((port) => port < 20_000 || port > 32_000)).toEqual([]);
  });
});

describe("wanted ports", () => {
  it("are refused with the name of the program that listens there", async () => {
    const server = createServer();
    server.listen(0, LOOPBACK);
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    await expect(assertPortsFree([{ port, owner: "Postgres", variable: "POSTGRES_PORT" }])).rejects.toThrow(
      new RegExp(
        `port ${port} for Postgres is taken.*; stop that, or choose another with POSTGRES_PORT=<port>`,
      ),
    );
    server.close();
    await once(server, "close");
    await expect(
      assertPortsFree([{ port, owner: "Postgres", variable: "POSTGRES_PORT" }]),
    ).resolves.toBeUndefined();
  });

  it.runIf(process.platform === "linux")(
    "are refused with a hint if one of our services already listens there",
    async () => {
      const port = await claimPort();
      const program = `require("net").createServer().listen(${port}, "${LOOPBACK}", () => console.log("up"))`;
      const child = spawn(node, ["-e", program, "/anywhere/dist/services/ledger/main.js"]);
      try {
        await once(child.stdout, "data");
        await expect(assertPortsFree([{ port, owner: "ledger", variable: "LEDGER_PORT" }])).rejects.toThrow(
          `is taken by ledger of a Quittance that runs already (pid ${child.pid}); stop that`,
        );
      } finally {
        child.kill();
        await once(child, "exit");
      }
    },
  );
});
