/** `npm run versions`: which tenants still call a version of the API, to notify them before its sunset. */
import { apiVersion, apiVersions } from "../../contracts/http/versions.ts";
import { listCallersOfVersion } from "../../services/api-gateway/auth/store/version-use.ts";
import { runTool } from "./command-line/command-line.ts";
import { operatorDatabase, sqlOf } from "./command-line/connections.ts";
import { type Given, Misuse } from "./command-line/given.ts";
import { momentOf } from "./command-line/moment.ts";
import type { Tool } from "./command-line/tool.ts";

const defaultDays = 30;

function sinceOf(text: string | undefined): string {
  const date = text === undefined ? new Date(Date.now() - defaultDays * 86_400_000) : momentOf(text);
  if (date === undefined) throw new Misuse("--since must be a date, such as 2027-01-31");
  return date.toISOString().slice(0, 10);
}

function versionOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const version = apiVersion.safeParse(text);
  if (!version.success)
    throw new Misuse(`--version: ${JSON.stringify(text)} is not one of ${apiVersions.join(", ")}`);
  return version.data;
}

function filterOf(given: Given): { version: string | null; since: string } {
  return { version: versionOf(given.option("version")), since: sinceOf(given.option("since")) };
}

async function list(given: Given): Promise<void> {
  const filter = filterOf(given);
  const client = await operatorDatabase();
  try {
    await client.query("set search_path = gateway");
    const callers = await listCallersOfVersion(sqlOf(client), filter);
    if (callers.length === 0)
      given.note(`nobody called ${filter.version ?? "any version"} since ${filter.since}`);
    for (const { tenant, name, mode, version, requests, lastUsedAt } of callers) {
      given.print(
        { version, tenant, name, mode, requests: Number(requests), lastUsedAt: lastUsedAt.toISOString() },
        `${version}  ${tenant}  ${mode}  ${String(requests).padStart(10)}  last ${lastUsedAt.toISOString()}  ${name}`,
      );
    }
  } finally {
    await client.end();
  }
}

export const versions: Tool = {
  name: "versions",
  commands: {
    list: {
      about: `list the tenants that called the version (any version by default) since that day (30 days ago by default),
with the number of requests and the time of the last one, latest first; at most a few seconds old`,
      options: { version: { value: apiVersions.join("|") }, since: { value: "<date>" } },
      check: filterOf,
      run: list,
    },
  },
};

if (import.meta.main) await runTool(versions);
