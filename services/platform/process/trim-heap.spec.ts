import { execFile } from "node:child_process";
import { expect, it } from "vitest";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Frees 64 MiB in blocks of 16 KiB, of which one in a hundred stays in use. Prints the MiB that a trim gives back. */
const program = `
  const { trimHeap } = await import("./services/platform/process/trim-heap.ts");
  await trimHeap();
  const blocks = Array.from({ length: 4_096 }, () => new Uint8Array(16 * 1_024).fill(1));
  const inUse = blocks.filter((_, index) => index % 100 === 0);
  blocks.length = 0;
  gc({ type: "major", execution: "sync", flavor: "last-resort" });
  const before = process.memoryUsage.rss();
  await trimHeap();
  console.log((before - process.memoryUsage.rss()) / 1_024 ** 2, inUse.length);
`;

const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };

it.runIf(header.glibcVersionRuntime)(
  "what malloc has free between blocks in use goes back to the system",
  async () => {
    const { stdout } = await run(process.execPath, ["--expose-gc", "--input-type=module", "-e", program]);
    expect(Number(stdout.split(" ")[0])).toBeGreaterThan(40);
  },
);
