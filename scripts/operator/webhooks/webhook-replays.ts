/** Replays of any tenant's deliveries: webhooks starts and ends them by the rules of `POST /v1/webhooks/replay`. */
import {
  type WebhookReplay,
  type WebhookReplayCreate,
  webhookReplayCreate,
} from "../../../contracts/http/webhooks/replays.ts";
import { bookIdOf, isId, newId, type ReplayId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { CancelReplay, CreateReplay } from "../../../contracts/messages/webhook-replays.ts";
import { issueMessage } from "../../../contracts/text/issue-message.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import { RpcClient } from "../../../services/platform/rpc/client.ts";
import { replayColumns, type ReplayRow, toReplay } from "../../../services/webhooks/replay/store/replays.ts";
import { inDatabase, operatorNats } from "../command-line/connections.ts";
import { type Given, Misuse } from "../command-line/given.ts";
import { modeOf } from "../command-line/mode.ts";
import { momentOf } from "../command-line/moment.ts";
import type { Command } from "../command-line/tool.ts";
import { booksOf, type Owner } from "./webhook-rows.ts";

const tenant = { value: "<id or name>" };

/** By the fields of the request. */
const optionOf: Readonly<Record<string, string>> = {
  endpointId: "endpoint",
  eventTypes: "types",
  status: "status",
  since: "since",
  until: "until",
};

function timeOf(given: Given, option: "since" | "until"): string {
  const moment = momentOf(given.required(option));
  if (moment === undefined)
    throw new Misuse(`--${option} must be a date or a time, such as 2027-01-31T10:00:00Z`);
  return moment.toISOString();
}

function wantedOf(given: Given): WebhookReplayCreate {
  modeOf(given);
  const wanted = webhookReplayCreate.safeParse(
    {
      since: timeOf(given, "since"),
      until: timeOf(given, "until"),
      endpointId: given.option("endpoint"),
      eventTypes: given.option("types")?.split(","),
      status: given.option("status")?.split(","),
      includeMissed: given.has("include-missed"),
      dryRun: given.has("dry-run"),
    },
    { error: issueMessage },
  );
  if (wanted.success) return wanted.data;
  const [fault] = wanted.error.issues;
  throw new Misuse(`--${optionOf[String(fault?.path[0])] ?? ""}: ${fault?.message ?? "invalid"}`);
}

/** The id of the replay that is named, or undefined. */
function replayIdOf(given: Given): ReplayId | undefined {
  const [id] = given.arguments;
  if (id !== undefined && !isId("rpl", id))
    throw new Misuse(`${id} is not a replay's id, rpl_…; see npm run webhooks -- replays`);
  return id;
}

/** Acts in the book of its owner, in the operator's name. */
async function asOwner<T>(
  given: Given,
  { tenant: id, mode }: Owner,
  act: (rpc: RpcClient, caller: Caller) => Promise<T>,
): Promise<T> {
  const book = bookIdOf(id, mode);
  const caller = { book, tenant: id, mode, principal: `operator:${given.by}`, requestId: newId("req") };
  const nats = await operatorNats();
  try {
    return await act(new RpcClient(nats), caller);
  } finally {
    await nats.drain();
  }
}

async function start(sql: Sql, given: Given): Promise<void> {
  const wanted = wantedOf(given);
  const owners = await booksOf(sql, given.required("tenant"));
  const owner = [...owners.values()].find(({ mode }) => mode === modeOf(given));
  if (owner === undefined) throw new Error(`no tenant ${given.required("tenant")}`);
  const { value } = await asOwner(given, owner, (rpc, caller) =>
    rpc.request(CreateReplay, { caller }, wanted),
  );
  print(given, value, owner);
  if (value.id !== null) given.note(`npm run webhooks -- replays ${value.id} shows how far it is`);
}

async function list(sql: Sql, given: Given): Promise<void> {
  const id = replayIdOf(given);
  const owners = await booksOf(sql, given.option("tenant"));
  const rows = await readReplays(sql, [...owners.keys()], id);
  if (rows.length === 0 && id !== undefined) throw noReplay(id);
  if (rows.length === 0) given.note("no replay is under way");
  for (const row of rows) print(given, toReplay(row), owners.get(row.book_id));
}

async function cancel(sql: Sql, given: Given): Promise<void> {
  const owners = await booksOf(sql, undefined);
  const [row] = await readReplays(sql, [...owners.keys()], replayIdOf(given));
  const owner = owners.get(row?.book_id ?? "");
  const id = given.argument(0);
  if (owner === undefined) throw noReplay(id);
  const { value } = await asOwner(given, owner, (rpc, caller) =>
    rpc.request(CancelReplay, { caller }, { id }),
  );
  print(given, value, owner);
}

const noReplay = (id: string) => new Error(`there is no replay ${id}; it may belong to another tenant`);

/** The replay with this id, or those that are under way; newest first. */
function readReplays(sql: Sql, books: readonly string[], id: ReplayId | undefined) {
  return sql<ReplayRow & { book_id: string }>(
    `select r.book_id, ${replayColumns}
     from replay r
     where r.book_id = any ($1::uuid[])
       and case when $2::uuid is null then r.status = 'Running' else r.id = $2 end
     order by r.id desc`,
    [books, id === undefined ? null : uuidOf(id)],
  );
}

function print(given: Given, replay: WebhookReplay, owner: Owner | undefined): void {
  const { id, status, matched, queued, since, until, endpointId } = replay;
  const progress =
    id === null ? `${String(matched)} would be sent` : `${String(queued)} of ${String(matched)} queued`;
  const whose = `${owner?.name ?? ""} ${owner?.mode ?? ""}`;
  const to = endpointId ?? "every endpoint";
  given.print(
    { replay: id, ...owner, ...replay },
    `${id ?? "dry run"}  ${whose}  ${status}  ${progress}  ${since} to ${until}  ${to}`,
  );
}

export const replayCommands: Readonly<Record<string, Command>> = {
  replay: {
    about: `send the deliveries of a period again, 31 days at most, behind new events: to one endpoint
or to all, by type and by what they ended as; --dry-run only counts them`,
    options: {
      tenant: { ...tenant, required: true },
      mode: { value: "Test|Live", required: true },
      since: { value: "<time>", required: true },
      until: { value: "<time>", required: true },
      endpoint: { value: "<endpoint id>" },
      status: { value: "Delivered|DeadLettered" },
      types: { value: "<type,type…>" },
      "include-missed": {},
      "dry-run": {},
    },
    changes: true,
    check: wantedOf,
    run: (given) => inDatabase((sql) => start(sql, given)),
  },
  replays: {
    about: "list the replays that are under way, or show one, with how many deliveries were queued",
    takes: ["[replay id]"],
    options: { tenant },
    check: replayIdOf,
    run: (given) => inDatabase((sql) => list(sql, given)),
  },
  "cancel-replay": {
    about: "end a replay; what was queued before is sent",
    takes: ["<replay id>"],
    changes: true,
    check: replayIdOf,
    run: (given) => inDatabase((sql) => cancel(sql, given)),
  },
};
