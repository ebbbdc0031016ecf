/** A thousand attempts at each kind of bad receiver, all kinds at once, leave no socket and no memory behind. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { type BadKind, badKinds, openBadReceivers } from "../stack/receivers/bad-receivers.ts";
import { forThisFile } from "../stack/for-this-file.ts";
import type { Left, Task } from "./inject/bad-receivers-client.ts";

const receivers = await forThisFile(openBadReceivers());

/** 5,000 of each take more than a minute: `BAD_ATTEMPTS=5000`. */
const each = Number(process.env["BAD_ATTEMPTS"] ?? 1_000);
const classes: Readonly<Record<BadKind, string>> = {
  hangs: "Timeout",
  dripsHeaders: "Timeout",
  dripsBody: "Status",
  answersTenMegabytes: "Status",
  answersWithoutEnd: "Status",
  closesMidHeader: "Reset",
  sendsThousandHeaders: "TooLong",
  redirects: "Redirect",
  resets: "Reset",
  talksNoHttp: "Reset",
  answersInterimOnly: "Timeout",
  hangsInHandshake: "Timeout",
  servesExpiredCertificate: "Tls",
  servesForeignCertificate: "Tls",
};
/** Only who never ends is waited for so shortly: 14,000 attempts keep both cores busy, and others may be late. */
const timeoutOf = (kind: BadKind) => (classes[kind] === "Timeout" || kind === "dripsBody" ? 200 : 30_000);

async function sendToAll(): Promise<Left> {
  const folder = await mkdtemp(join(tmpdir(), "quittance-bad-receivers-"));
  const authority = join(folder, "authority.pem");
  await writeFile(authority, receivers.authority);
  const task: Task = {
    receivers: badKinds.map((kind) => ({ url: receivers.urlOf(kind), timeoutMs: timeoutOf(kind) })),
    each,
    connections: 32,
  };
  const program = join(import.meta.dirname, "inject/bad-receivers-client.ts");
  const args = ["--expose-gc", program, JSON.stringify(task)];
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  await rm(folder, { recursive: true });
  return JSON.parse(stdout) as Left;
}

it("a thousand attempts at each kind of bad receiver leave no socket and no memory behind", {
  timeout: 600_000,
}, async () => {
  const left = await sendToAll();
  for (const kind of badKinds) {
    const ended = left.classes[receivers.urlOf(kind)] ?? {};
    // The head of an answer whose body drips may be later than 200 ms, too.
    const possible = kind === "dripsBody" ? [classes[kind], "Timeout"] : [classes[kind]];
    expect([kind, Object.keys(ended).filter((name) => !possible.includes(name))]).toEqual([kind, []]);
    expect(Object.values(ended).reduce((sum, count) => sum + count, 0)).toBe(each);
    expect([kind, receivers.connectionsOf(kind)]).toEqual([kind, 0]);
  }
  const [before, after] = left.handles;
  expect(after).toEqual(before);
  // A kilobyte for each of 14,000 attempts would be 14 MiB.
  expect(left.heapMiB[1] - left.heapMiB[0]).toBeLessThan(2);
  // Pages that the process keeps for later. Rounds of attempts after the first one add none.
  expect(left.residentMiB[1] - left.residentMiB[0]).toBeLessThan(300);
});
