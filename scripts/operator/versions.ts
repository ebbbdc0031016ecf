/** `npm run versions -- …`: who still calls a version of the API, to be told before it ends. */
import { parseArgs } from "node:util";
import { apiVersion, apiVersions } from "../../contracts/http/versions.ts";
import { listCallersOfVersion } from "../../services/api-gateway/auth/store/version-use.ts";
import type { Sql } from "../../services/platform/persistence/sql.ts";
import { operatorDatabase, runTool } from "./connections.ts";

const usage = `usage: npm run versions -- list [--version ${apiVersions.join("|")}] [--since <date>]
Every tenant that called the version (any, when none is named) since that day, the latest first: how often, and when
last. The default is the last 30 days; counts are at most a few seconds old.`;

const defaultDays = 30;

function sinceOf(text: string | undefined): string {
  const date = text === undefined ? new Date(Date.now() - defaultDays * 86_400_000) : new Date(text);
  if (Number.isNaN(date.getTime())) throw new Error("--since is a day: 2027-01-31");
  return date.toISOString().slice(0, 10);
}

function versionOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const version = apiVersion.safeParse(text);
  if (!version.success)
    throw new Error(`--version: ${JSON.stringify(text)} is none of ${apiVersions.join(", ")}`);
  return version.data;
}

await runTool(async () => {
  const [command, ...args] = process.argv.slice(2);
  if (command !== "list") throw new Error(usage);
  const text = { type: "string" } as const;
  const { values } = parseArgs({ args, options: { version: text, since: text } });
  const asked = { version: versionOf(values.version), since: sinceOf(values.since) };
  const client = await operatorDatabase();
  try {
    await client.query("set search_path = gateway");
    const sql: Sql = async <R extends object>(statement: string, params: readonly unknown[] = []) =>
      (await client.query(statement, [...params])).rows as R[];
    const callers = await listCallersOfVersion(sql, asked);
    if (callers.length === 0)
      console.log(`nobody called ${asked.version ?? "any version"} since ${asked.since}`);
    for (const { tenant, name, mode, version, requests, lastUsedAt } of callers) {
      console.log(
        `${version}  ${tenant}  ${mode}  ${String(requests).padStart(10)}  last ${lastUsedAt.toISOString()}  ${name}`,
      );
    }
  } finally {
    await client.end();
  }
});
