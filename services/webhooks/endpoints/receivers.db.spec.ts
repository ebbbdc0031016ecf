/** What is really sent, verified by the receivers that the guide names and by the library of Standard Webhooks. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { LoopbackReceiver } from "../../../test/stack/receivers/loopback-receiver.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { requestContext, statusChange, WebhooksInstance } from "../../../test/stack/services/webhooks.ts";
import { SystemClock } from "../process-clock.ts";
import { newSigningSecret } from "./domain/signature.ts";

const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const pythonOfGuide = /^```python\n([^]*?)^```$/m.exec(textOf("docs/guides/receive-webhooks.md"))?.[1] ?? "";
const folder = mkdtempSync(join(tmpdir(), "receivers-"));
const units = await forThisFile(openFreshUnits("webhooks"));
const webhooks = await forThisFile(new WebhooksInstance(units, new SystemClock()));
const hasPython = spawnSync("python3", ["--version"]).status === 0;

interface Case {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
}
/** What a receiver says to each of these requests. */
type Receiver = (cases: readonly Case[]) => Promise<boolean[]>;

async function run(command: string, args: readonly string[], input: string): Promise<string> {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(input);
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}`);
  return output;
}

/** Runs a program, followed by these lines, which pass each case to it. */
function receiverOf(name: string, command: string, program: string, caller: string): Receiver {
  const file = join(folder, name);
  return async (cases) => {
    writeFileSync(file, program + caller);
    return JSON.parse(await run(command, [file], JSON.stringify(cases))) as boolean[];
  };
}

const typescript = receiverOf(
  "receiver.mts",
  process.execPath,
  textOf("clients/backend/quittance.ts"),
  `
import { readFileSync } from "node:fs";
const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map((one: any) =>
  verifies(Buffer.from(one.body, "base64"), one.headers, one.secret))));
`,
);
const python = receiverOf(
  "receiver.py",
  "python3",
  pythonOfGuide,
  `
import json
import sys
cases = json.load(sys.stdin)
print(json.dumps([verifies(base64.b64decode(one["body"]), one["headers"], one["secret"]) for one in cases]))
`,
);
const library: Receiver = (cases) =>
  Promise.resolve(
    cases.map(({ body, headers, secret }) => {
      try {
        new Webhook(secret).verify(Buffer.from(body, "base64").toString("utf8"), { ...headers });
        return true;
      } catch {
        return false;
      }
    }),
  );

let sent: Omit<Case, "secret">;
const secrets = { first: "", second: "", strange: newSigningSecret().text };
beforeAll(async () => {
  const receiver = await LoopbackReceiver.open();
  const payer = requestContext();
  const { id, signingSecret } = await webhooks.createEndpoint(payer, { url: receiver.url });
  const rotated = await webhooks.secrets.rotate({ id, overlapHours: 24 }, payer);
  Object.assign(secrets, {
    first: signingSecret,
    second: (rotated as { signingSecret: string }).signingSecret,
  });
  await webhooks.deliver(statusChange(payer, { externalId: "Zo\u00eb's invoice" }));
  const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = receiver.requests;
  sent = { headers: headers as Record<string, string>, body: body.toString("base64") };
  await receiver.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const receivers: readonly (readonly [string, Receiver])[] = [
  ["clients/backend/quittance.ts", typescript],
  ...(hasPython ? [["the guide's Python", python] as const] : []),
  ["the library of Standard Webhooks", library],
];

describe.each(receivers)("%s", (_name, receiver) => {
  it("accepts what was sent, by each active secret", async () => {
    const { first, second } = secrets;
    expect(
      await receiver([
        { ...sent, secret: first },
        { ...sent, secret: second },
      ]),
    ).toEqual([true, true]);
  });

  it("refuses another secret, another body, another id, another time and a missing signature", async () => {
    const { second: secret, strange } = secrets;
    const { headers } = sent;
    const changed = (name: string, value: string) => ({
      ...sent,
      secret,
      headers: { ...headers, [name]: value },
    });
    const past = String(Number(headers["webhook-timestamp"]) - 301);
    const { "webhook-signature": _signature, ...unsigned } = headers;
    expect(
      await receiver([
        { ...sent, secret: strange },
        { ...sent, secret, body: Buffer.from("{}").toString("base64") },
        changed("webhook-id", "evt_another"),
        changed("webhook-timestamp", String(Number(headers["webhook-timestamp"]) + 1)),
        changed("webhook-timestamp", past),
        changed("webhook-signature", "v1,"),
        changed("webhook-signature", String(headers["webhook-signature"]).replaceAll("v1,", "v2,")),
        { ...sent, secret, headers: unsigned },
      ]),
    ).toEqual([false, false, false, false, false, false, false, false]);
  });
});
