/** Ports on the loopback address: taking a free one, and explaining one that is taken. */
import { readdir, readFile, readlink } from "node:fs/promises";
import { createServer } from "node:net";

export const LOOPBACK = "127.0.0.1";

export interface WantedPort {
  port: number;
  /** The program that needs the port, for the error message: "Postgres", "the API". */
  owner: string;
  /** The environment variable that sets another port. */
  variable: string;
}

/**
 * A wanted port is taken. The message names the port, the program that needs it, the one that has it, and the remedy.
 */
export class PortTakenError extends Error {
  override readonly name = "PortTakenError";
}

/** A port that nobody listens on at this moment; the caller should bind it soon. */
export async function findFreePort(): Promise<number> {
  return listenOnce(0);
}

/** Several free ports, all different. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  // All stay open until the last one is known, so that none is returned twice.
  const ports = await Promise.all(servers.map((server) => listen(server, 0)));
  await Promise.all(servers.map(close));
  return ports;
}

/** Resolves when every wanted port is free, else throws one PortTakenError that names each taken one. */
export async function assertPortsFree(wanted: readonly WantedPort[]): Promise<void> {
  const complaints: string[] = [];
  const seen = new Map<number, WantedPort>();
  for (const want of wanted) {
    const twin = seen.get(want.port);
    if (twin) complaints.push(`port ${want.port} is wanted twice: ${twin.variable} and ${want.variable}`);
    seen.set(want.port, want);
    const reason = await reasonNotFree(want);
    if (reason) complaints.push(reason);
  }
  if (complaints.length > 0) throw new PortTakenError(complaints.join("\n"));
}

async function reasonNotFree({ port, owner, variable }: WantedPort): Promise<string | undefined> {
  try {
    await listenOnce(port);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const way = `choose another with ${variable}=<port>`;
    if (code === "EACCES") return `port ${port} for ${owner} needs more rights than we have; ${way}`;
    if (code !== "EADDRINUSE") throw error;
    const holder = await describeListener(port);
    return `port ${port} for ${owner} is taken${holder ? ` by ${holder}` : ""}; stop that, or ${way}`;
  }
}

async function listenOnce(port: number): Promise<number> {
  const server = createServer();
  const bound = await listen(server, port);
  await close(server);
  return bound;
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("not a TCP port"));
      else resolve(address.port);
    });
  });
}

function close(server: ReturnType<typeof createServer>): Promise<void> {
  return new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())));
}

/** Name and pid of the program that listens on a port, if the system shows them (Linux, same user). */
async function describeListener(port: number): Promise<string | undefined> {
  const inodes = await listeningInodes(port);
  if (inodes.size === 0) return undefined;
  const pids = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry));
  for (const pid of pids) {
    const links = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const fd of links) {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => "");
      if (!inodes.has(target)) continue;
      return `${await nameOf(pid)} (pid ${pid})`;
    }
  }
  return undefined;
}

/** The system calls every Node program "MainThread", so our services are recognised by their scripts. */
async function nameOf(pid: string): Promise<string> {
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  const service = /\/dist\/services\/([a-z-]+)\/main\.js/.exec(command)?.[1];
  if (service !== undefined) return `${service} of a Quittance that runs already`;
  return (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "a program")).trim();
}

// Columns of /proc/net/tcp: local address is the second, state the fourth (0A = LISTEN), inode the tenth.
async function listeningInodes(port: number): Promise<Set<string>> {
  const hexPort = port.toString(16).toUpperCase().padStart(4, "0");
  const inodes = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const text = await readFile(table, "utf8").catch(() => "");
    for (const line of text.split("\n")) {
      const columns = line.trim().split(/\s+/);
      if (columns[1]?.endsWith(`:${hexPort}`) && columns[3] === "0A") inodes.add(`socket:[${columns[9]}]`);
    }
  }
  return inodes;
}
