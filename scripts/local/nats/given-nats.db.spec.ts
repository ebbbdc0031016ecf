import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { patienceMs } from "../../../test/stack/until.ts";
import { claimPort } from "../processes/ports.ts";
import { waitForGivenNats } from "./given-nats.ts";

const messaging = await forThisFile(startMessaging());
const { NATS_URL, NATS_PASSWORD } = messaging.environment("orders", "unused") as {
  NATS_URL: string;
  NATS_PASSWORD: string;
};
/** It waits long for a server that answers; of one that doesn't, it speaks at once and gives up soon. */
const patience = { quietMs: patienceMs, giveUpAfterMs: patienceMs };
const soon = { quietMs: 1, giveUpAfterMs: 600 };

/** What it says while it waits, and how it ends. */
async function waitFor(url: string, within = soon, password = NATS_PASSWORD): Promise<[string[], string]> {
  const said: string[] = [];
  const ended = await waitForGivenNats(url, password, (line) => said.push(line), within).then(
    () => "connected",
    (error: Error) => error.message,
  );
  return [said, ended];
}

describe("make start with NATS_URL", () => {
  it("goes on at once with a NATS that answers", async () => {
    expect(await waitFor(NATS_URL, patience)).toEqual([[], "connected"]);
  });

  it("says what it waits for, and gives up, without showing a password", async () => {
    const server = `nats://127.0.0.1:${String(await claimPort())}`;
    expect(await waitFor(server.replace("//", "//operator:hidden@"))).toEqual([
      [`waiting up to 0.6 s for NATS at ${server} (NATS_URL)`],
      `no NATS at ${server} after 0.6 s: start it, or unset NATS_URL`,
    ]);
  });

  it("gives up on a server that takes connections and never says anything", async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    expect((await waitFor(`nats://127.0.0.1:${String(port)}`))[1]).toMatch(/^no NATS at .* after 0\.6 s: /);
    silent.close();
  });

  it("names what is wrong at once if the NATS has other passwords", async () => {
    const [, ended] = await waitFor(NATS_URL, patience, "another");
    expect(ended).toBe(
      `${NATS_URL} (NATS_URL) refuses the user operator: give it the users and passwords of .local/secrets.json`,
    );
  });
});
