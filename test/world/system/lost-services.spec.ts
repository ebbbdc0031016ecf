import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createProcessGroup } from "../../../scripts/local/processes/processes.ts";
import { assertNothingLost, watchForLoss } from "../../stack/lost-services.ts";

/** A service that prints a line and exits, or runs until it is stopped. */
async function serviceThat(program: string) {
  const group = createProcessGroup(() => undefined);
  const child = await group.start({ name: "ledger", command: process.execPath, args: ["-e", program] });
  const folder = await mkdtemp(join(tmpdir(), "lost-services-"));
  const stopping = new AbortController();
  const file = join(folder, "lost");
  const watched = watchForLoss([{ service: "ledger", child }], file, stopping.signal);
  return { group, file, stopping, watched, remove: () => rm(folder, { recursive: true }) };
}

it("names the service that ended, how, and its last lines", async () => {
  const { group, file, watched, remove } = await serviceThat(
    "console.log('out of memory'); process.exitCode = 3",
  );
  await watched;
  expect(() => assertNothingLost(file)).toThrow(
    "the shared service is not whole any more: ledger ended with code 3:\nout of memory\n",
  );
  await group.stopAll();
  await remove();
});

it("says nothing of a service that was stopped at the end of the run", async () => {
  const { group, file, stopping, watched, remove } = await serviceThat("setInterval(() => 0, 1000)");
  stopping.abort();
  await group.stopAll();
  await watched;
  expect(() => assertNothingLost(file)).not.toThrow();
  await remove();
});
