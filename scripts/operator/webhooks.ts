/** `npm run webhooks`: the webhook endpoints, the dead letters and the replays of all tenants. */
import { idOf, isId, uuidOf } from "../../contracts/ids/ids.ts";
import type { Sql } from "../../services/platform/persistence/sql.ts";
import { runTool } from "./command-line/command-line.ts";
import { inDatabase } from "./command-line/connections.ts";
import { type Given, Misuse } from "./command-line/given.ts";
import { momentOf } from "./command-line/moment.ts";
import type { Tool } from "./command-line/tool.ts";
import { replayCommands } from "./webhooks/webhook-replays.ts";
import {
  booksOf,
  type DeadFilter,
  type DeadRow,
  type Owner,
  readDead,
  readEndpoints,
} from "./webhooks/webhook-rows.ts";

const defaultLimit = 100;
const maxLimit = 10_000;
const defaultDays = 30;

async function listEndpoints(sql: Sql, given: Given): Promise<void> {
  const books = await booksOf(sql, given.option("tenant"));
  const rows = await readEndpoints(sql, books);
  if (rows.length === 0) given.note("no endpoints");
  for (const { id, book_id, url, status, event_types, created_at, open, dead } of rows) {
    const owner = books.get(book_id);
    const endpoint = idOf("we", id);
    const createdAt = created_at.toISOString();
    given.print(
      { endpoint, ...owner, status, url, eventTypes: event_types, createdAt, open, deadLettered: dead },
      `${endpoint}  ${nameOf(owner)}  ${status}  ${String(open)} open  ${String(dead)} dead  ${url}`,
    );
  }
}

function deadFilterOf(given: Given): DeadFilter {
  const endpoint = given.option("endpoint");
  if (endpoint !== undefined && !isId("we", endpoint))
    throw new Misuse(
      `--endpoint: ${endpoint} is not an endpoint's id, we_…; see npm run webhooks -- endpoints`,
    );
  const written = given.option("since");
  const since = written === undefined ? new Date(Date.now() - defaultDays * 86_400_000) : momentOf(written);
  if (since === undefined) throw new Misuse("--since must be a date or a time, such as 2027-01-31T10:00:00Z");
  const limit = given.option("limit") ?? String(defaultLimit);
  if (!/^[1-9]\d{0,4}$/.test(limit) || Number(limit) > maxLimit)
    throw new Misuse(`--limit must be a number from 1 to ${String(maxLimit)}`);
  return { endpoint: endpoint === undefined ? null : uuidOf(endpoint), since, limit: Number(limit) };
}

async function listDead(sql: Sql, given: Given): Promise<void> {
  const filter = deadFilterOf(given);
  const books = await booksOf(sql, given.option("tenant"));
  const rows = await readDead(sql, books, filter);
  if (rows.length === 0) given.note(`no dead letters since ${filter.since.toISOString()}`);
  for (const row of rows) printDead(given, row, books.get(row.book_id));
  const { limit } = filter;
  if (rows.length === limit) given.note(`only the newest ${String(limit)} are shown: --limit shows more`);
}

function printDead(given: Given, row: DeadRow, owner: Owner | undefined): void {
  const [delivery, createdAt] = [idOf("wh", row.id), row.created_at.toISOString()];
  const lastAttempt = row.last && {
    at: new Date(row.last.at).toISOString(),
    responseStatus: row.last.response_status,
    errorClass: row.last.error_class,
    error: row.last.error,
  };
  const reason = lastAttempt?.responseStatus ?? lastAttempt?.errorClass ?? "no attempt";
  given.print(
    {
      delivery,
      ...owner,
      endpoint: idOf("we", row.endpoint_id),
      url: row.url,
      event: idOf("evt", row.event_id),
      eventType: row.event_type,
      createdAt,
      attempts: row.attempt_count,
      lastAttempt,
    },
    `${delivery}  ${createdAt}  ${nameOf(owner)}  ${row.event_type}  ${String(reason)}  ${row.url}`,
  );
}

const nameOf = (owner: Owner | undefined) => `${owner?.name ?? ""} ${owner?.mode ?? ""}`;

const tenant = { value: "<id or name>" };

export const webhooks: Tool = {
  name: "webhooks",
  commands: {
    endpoints: {
      about: "list the webhook endpoints, with their open and their dead-lettered deliveries",
      options: { tenant },
      run: (given) => inDatabase((sql) => listEndpoints(sql, given)),
    },
    dead: {
      about: `list the dead-lettered deliveries made since a time (${String(defaultDays)} days ago by default), newest first,
at most --limit of them (${String(defaultLimit)} by default), with what the receiver answered last`,
      options: {
        tenant,
        endpoint: { value: "<endpoint id>" },
        since: { value: "<time>" },
        limit: { value: "<number>" },
      },
      check: deadFilterOf,
      run: (given) => inDatabase((sql) => listDead(sql, given)),
    },
    ...replayCommands,
  },
};

if (import.meta.main) await runTool(webhooks);
