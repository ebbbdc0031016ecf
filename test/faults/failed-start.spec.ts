/** What a world that can't start leaves behind: nothing. */
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { OwnWorld } from "../world/system/own-world.ts";

/** The folders of servers that this process runs. */
async function foldersOfServers(): Promise<string[]> {
  const found = await Promise.all(
    ["/dev/shm", tmpdir()].map((parent) => readdir(parent).catch(() => [])), // not on this system
  );
  return found.flat().filter((name) => name.startsWith(`quittance-test-${String(process.pid)}-`));
}

it("leaves no server and no fetch of its own when a service can't start", async () => {
  const [folders, ours] = [await foldersOfServers(), globalThis.fetch];
  await expect(OwnWorld.start({ env: { LOG_LEVEL: "no such level" } })).rejects.toThrow(/ended on port \d+/);
  expect(await foldersOfServers()).toEqual(folders);
  expect(globalThis.fetch).toBe(ours);
});

it("leaves no server and no fetch of its own when the tenant's endpoint is refused", async () => {
  const [folders, ours] = [await foldersOfServers(), globalThis.fetch];
  // The receiver's address is then one that no endpoint may have.
  const start = OwnWorld.start({ env: { ALLOWED_TARGET_CIDRS: "192.0.2.0/24" } });
  await expect(start).rejects.toThrow("refused");
  expect(await foldersOfServers()).toEqual(folders);
  expect(globalThis.fetch).toBe(ours);
});
