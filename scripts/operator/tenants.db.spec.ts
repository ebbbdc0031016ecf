import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, describe, expect, it, vi } from "vitest";
import { forThisFile } from "../../test/stack/for-this-file.ts";
import { createDatabase } from "../../test/stack/servers/database.ts";
import { runCommandLine } from "./command-line/command-line.ts";
import { tenants } from "./tenants.ts";

const database = await forThisFile(createDatabase("gateway"));
const client = await forThisFile(new pg.Client(database.adminUrl));
await client.connect();
vi.stubEnv("DATABASE_URL", database.adminUrl);
afterAll(() => vi.unstubAllEnvs());

async function run(...args: string[]): Promise<{ code: number; out: string[]; error: string[] }> {
  const [out, error]: [string[], string[]] = [[], []];
  const streams = { out: (line: string) => out.push(line), error: (line: string) => error.push(line) };
  return { code: await runCommandLine(tenants, [...args, "--by", "ada"], streams), out, error };
}

const created = await run("create", "Acme");
// Checked at the commit, as a connection that breaks there would be noticed.
await client.query(`
  create function gateway.refuse_commit() returns trigger language plpgsql as $$
  begin raise exception 'the commit failed'; end $$`);
for (const table of ["tenant", "api_key", "person"])
  await client.query(
    `create constraint trigger refuse_commit after insert or update on gateway.${table}
     deferrable initially deferred for each row execute function gateway.refuse_commit()`,
  );

const key = "--tenant Acme --mode Test --principal ana --scopes all".split(" ");
const person = "--tenant Acme --principal ana --email ana@acme.example".split(" ");

it("create prints the id of the tenant that it committed", async () => {
  const { rows } = await client.query<{ name: string }>("select name from gateway.tenant");
  expect(rows).toEqual([{ name: "Acme" }]);
  expect([created.code, created.out]).toEqual([0, [expect.stringMatching(/^ten_/)]]);
});

it("prints nothing but records with --json, as the usage says, also through npm", async () => {
  const [usage = ""] = (await run("list", "--help")).out;
  const [, command = ""] = /For --json: npm (run -s tenants --) …/.exec(usage) ?? [];
  const args = [...command.split(" "), "list", "--json"];
  const env = { ...process.env, DATABASE_URL: database.adminUrl };
  const { stdout } = await promisify(execFile)("npm", args, { cwd: join(import.meta.dirname, "../.."), env });
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { name: string }).name),
  ).toEqual(["Acme"]);
});

describe("a command whose commit fails", () => {
  it.each([
    ["create", ["Borealis"]],
    ["create-key", key],
    ["invite", person],
    ["suspend", ["Acme"]],
  ])("%s prints no result", async (command, args) => {
    for (const json of [[], ["--json"]]) {
      const { code, out, error } = await run(command, ...args, ...json);
      expect([code, out]).toEqual([1, []]);
      expect(error.at(-1)).toContain("the commit failed");
    }
  });
});
