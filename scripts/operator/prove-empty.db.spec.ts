import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { forThisFile } from "../../test/stack/for-this-file.ts";
import { createDatabase } from "../../test/stack/servers/database.ts";
import { runCommandLine } from "./command-line/command-line.ts";
import { proveTool } from "./prove.ts";

const database = await forThisFile(createDatabase(["ledger", "orders"]));
vi.stubEnv("DATABASE_URL", database.adminUrl);
afterAll(() => vi.unstubAllEnvs());

async function proves(...args: string[]): Promise<{ code: number; out: string[]; error: string[] }> {
  const [out, error]: [string[], string[]] = [[], []];
  const streams = { out: (line: string) => out.push(line), error: (line: string) => error.push(line) };
  return { code: await runCommandLine(proveTool, args, streams), out, error };
}
const complaint =
  "nothing was proven: the database has no book. Check DATABASE_URL. If the database should have no book, add --allow-empty";

describe("npm run prove in a database without books", () => {
  it("fails, because it has proven nothing", async () => {
    expect(await proves()).toEqual({ code: 1, out: [], error: [complaint] });
    expect(await proves("--json")).toEqual({
      code: 1,
      out: [],
      error: [JSON.stringify({ error: complaint })],
    });
  });

  it("succeeds with --allow-empty, and writes no file of heads", async () => {
    expect(await proves("--allow-empty")).toEqual({ code: 0, out: ["no books"], error: [] });
    const file = join(tmpdir(), `quittance-${String(process.pid)}-no-heads.ndjson`);
    expect(await proves("--allow-empty", "--heads", file)).toEqual({ code: 0, out: ["no books"], error: [] });
    expect((await proves("--file", file)).code).toBe(2);
  });
});
