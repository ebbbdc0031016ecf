/** Ports on the loopback address: claiming free ones, and explaining one that is taken. */
import { readdir, readFile, readlink } from "node:fs/promises";
import { createServer, type Server } from "node:net";

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

/** One port, claimed as `claimPorts` claims several. */
export async function claimPort(): Promise<number> {
  const [port = 0] = await claimPorts(1);
  return port;
}

/**
 * Free ports for servers of this process and of its children. While this process lives, no other one that claims ports
 * gets any of them, not even while nobody listens there: a server can be killed and started again on its port.
 * The search begins at `from`, an even number.
 */
export async function claimPorts(count: number, from = anyPort()): Promise<number[]> {
  const ports: number[] = [];
  for (let tried = 0; tried < claimable.pairs && ports.length < count; tried += 1) {
    const port = claimable.first + ((from - claimable.first + 2 * tried) % (2 * claimable.pairs));
    if (await claim(port)) ports.push(port);
  }
  if (ports.length < count)
    throw new Error(`no ${String(count)} free ports from ${String(claimable.first)} on`);
  return ports;
}

// Below the ports that systems give to outgoing connections (from 32768 on Linux), any of which one could get.
const claimable = { first: 20_000, pairs: 6_000 };

function anyPort(): number {
  return claimable.first + 2 * Math.floor(Math.random() * claimable.pairs);
}

/** Whoever listens on the odd port has the even one before it: the system gives it back, however the process ends. */
async function claim(port: number): Promise<boolean> {
  const guard = createServer((socket) => socket.destroy());
  if (!(await listens(guard, port + 1))) return false;
  guard.unref();
  const server = createServer();
  if (await listens(server, port)) {
    await close(server);
    return true;
  }
  await close(guard);
  return false;
}

function listens(server: Server, port: number): Promise<boolean> {
  return listen(server, port).then(
    () => true,
    () => false,
  );
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

async function listenOnce(port: number): Promise<void> {
  const server = createServer();
  await listen(server, port);
  await close(server);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: LOOPBACK, exclusive: true }, resolve);
  });
}

function close(server: Server): Promise<void> {
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
