/** `npm run versions -- list`: which tenants still call a version of the API, to notify them before its sunset. */
import { parseArgs } from "node:util";
import { apiVersion, apiVersions } from "../../contracts/http/versions.ts";
import { listCallersOfVersion } from "../../services/api-gateway/auth/store/version-use.ts";
import { operatorDatabase, runTool, sqlOf } from "./connections.ts";

const usage = `usage: npm run versions -- list [--version ${apiVersions.join("|")}] [--since <date>]
Lists the tenants that called the version (any version by default) since that day (30 days ago by default), with the number
of requests and the time of the last one, latest first. Counts are at most a few seconds old.`;

const defaultDays = 30;

function sinceOf(text: string | undefined): string {
  const date = text === undefined ? new Date(Date.now() - defaultDays * 86_400_000) : new Date(text);
  if (Number.isNaN(date.getTime())) throw new Error("--since must be a date, such as 2027-01-31");
  return date.toISOString().slice(0, 10);
}

function versionOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const version = apiVersion.safeParse(text);
  if (!version.success)
    throw new Error(`--version: ${JSON.stringify(text)} is not one of ${apiVersions.join(", ")}`);
  return version.data;
}

await runTool(async () => {
  const [command, ...args] = process.argv.slice(2);
  if (command !== "list") throw new Error(usage);
  const text = { type: "string" } as const;
  const { values } = parseArgs({ args, options: { version: text, since: text } });
  const filter = { version: versionOf(values.version), since: sinceOf(values.since) };
  const client = await operatorDatabase();
  try {
    await client.query("set search_path = gateway");
    const callers = await listCallersOfVersion(sqlOf(client), filter);
    if (callers.length === 0)
      console.log(`nobody called ${filter.version ?? "any version"} since ${filter.since}`);
    for (const { tenant, name, mode, version, requests, lastUsedAt } of callers) {
      console.log(
        `${version}  ${tenant}  ${mode}  ${String(requests).padStart(10)}  last ${lastUsedAt.toISOString()}  ${name}`,
      );
    }
  } finally {
    await client.end();
  }
});
