import { afterAll, expect, it, vi } from "vitest";
import { forThisFile } from "../../test/stack/for-this-file.ts";
import { startMessaging } from "../../test/stack/servers/messaging.ts";
import { runCommandLine } from "./command-line/command-line.ts";
import { streamsTool } from "./streams.ts";

const messaging = await forThisFile(startMessaging());
const { NATS_URL, NATS_PASSWORD } = messaging.environment("rails", "postgres://127.0.0.1:1/none");
vi.stubEnv("NATS_URL", NATS_URL);
vi.stubEnv("NATS_PASSWORD", NATS_PASSWORD);
afterAll(() => vi.unstubAllEnvs());

async function run(...args: string[]): Promise<{ code: number; out: string[]; error: string[] }> {
  const [out, error]: [string[], string[]] = [[], []];
  const streams = { out: (line: string) => out.push(line), error: (line: string) => error.push(line) };
  return { code: await runCommandLine(streamsTool, args, streams), out, error };
}

it("provision says what was missing, and how many replicas each stream has", async () => {
  expect(await run("provision")).toEqual({
    code: 0,
    out: ["nothing was missing", "replicas: CMD 1, EVT 1, NTF 1, DLQ 1"],
    error: [],
  });
});

it("provision changes the replicas only for somebody with a name, which it logs", async () => {
  const [complaint, usage] = (await run("provision", "--replicas", "3")).error.join("\n").split("\n");
  expect(complaint).toBe("missing: --by");
  expect(usage).toBe("usage: npm run streams -- provision [--replicas 1|3|5 --by <your name>] [--json]");
  const before = (await messaging.manager.streams.info("CMD")).config.num_replicas;
  expect(before).toBe(1);
  const { error } = await run("provision", "--replicas", "1", "--by", "ada");
  expect(JSON.parse(error.join())).toMatchObject({
    by: "ada",
    command: "streams provision",
    options: { replicas: "1" },
  });
});

it("provision says that a server alone does not make more replicas", async () => {
  expect(await run("provision", "--replicas", "3", "--by", "ada")).toEqual({
    code: 0,
    out: [
      "nothing was missing",
      "replicas: CMD 1 of 3, EVT 1 of 3, NTF 1 of 3, DLQ 1 of 3",
      "A single server has one replica; a cluster makes the others: run it again to see them",
    ],
    error: [expect.stringContaining('"by":"ada"')],
  });
});

it("provision names the time from which to publish again what a lost stream held", async () => {
  await messaging.manager.streams.delete("NTF");
  const { code, out } = await run("provision");
  expect([code, out[0]]).toEqual([0, expect.stringMatching(/^created: .*NTF/)]);
  expect(out.slice(-3)).toEqual([
    "If they were lost: npm run republish -- --since <time>",
    "Find the oldest message that some consumer had not handled, and choose a time before it was published.",
    "If you are unsure, choose a time a few minutes less than 8 days ago: consumers drop what they have handled.",
  ]);
});
