/** What an operator does for a tenant whose receiver has lost webhooks: `npm run webhooks -- replay`. */
import { expect, it } from "vitest";
import type { WebhookReplay } from "../../../contracts/http/webhooks/replays.ts";
import type { TestSink, TestSinkRequest } from "../../../contracts/http/webhooks/test-sinks.ts";
import { bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { operatorRuns } from "../../world/system/operator.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());
const tenant = world.tenant.tenant.id;
const hour = 3_600_000;
const since = new Date(Date.now() - hour).toISOString();
const untilTime = new Date(Date.now() + hour).toISOString();

async function runs(...args: string[]) {
  const { code, stdout, stderr } = await operatorRuns(world, "webhooks", args);
  return { code, out: stdout, complaint: code === 0 ? "" : stderr };
}
const replays = (...args: string[]) =>
  runs("replay", "--tenant", tenant, "--mode", "Test", "--since", since, "--until", untilTime, ...args);

it("an operator counts a book's deliveries, sends them again, and follows and ends the replay", async () => {
  const sink = (await world.post<TestSink>("/v1/test-sinks", {})).body;
  const body = { url: sink.url, eventTypes: ["payment_order.completed"] };
  const endpoint = (await world.post<{ id: string }>("/v1/webhook-endpoints", body)).body.id;
  const payer = await world.payerNamed("Operating");
  await payer.pays(1_000, { rail: "Rtp" });
  const requests = (count: number) =>
    until(`${String(count)} requests`, async () => {
      const path = `/v1/test-sinks/${sink.id}/requests?after=0`;
      const { data } = (await world.get<{ data: TestSinkRequest[] }>(path)).body;
      return data.length >= count ? data : undefined;
    });
  await requests(1);
  const only = ["--endpoint", endpoint, "--by", "ada"];

  const counted = await replays("--dry-run", ...only, "--json");
  expect(JSON.parse(counted.out)).toMatchObject({ replay: null, tenant, status: "Counted", matched: 1 });
  expect((await replays("--types", "payment_order.failed", "--dry-run", ...only)).out).toMatch(
    /^dry run {2}.* Test {2}Counted {2}0 would be sent {2}/,
  );

  const started = JSON.parse((await replays(...only, "--json")).out) as { replay: string };
  expect(started).toMatchObject({ status: "Running", matched: 1, endpointId: endpoint });
  const [first, again] = await requests(2);
  expect([again?.headers["webhook-id"], again?.bodyBase64]).toEqual([
    first?.headers["webhook-id"],
    first?.bodyBase64,
  ]);
  await until("the replay is done", async () => {
    const shown = await runs("replays", started.replay);
    return shown.out.includes(" Test  Done  1 of 1 queued  ");
  });
  // The tenant sees it among its own.
  const own = await world.get<WebhookReplay>(`/v1/webhooks/replay/${started.replay}`);
  expect(own.body).toMatchObject({ id: started.replay, status: "Done", matched: 1, queued: 1 });

  expect((await runs("cancel-replay", started.replay, "--by", "ada")).complaint).toBe(
    "The replay is Done. Only a Running one can be cancelled.\n",
  );
});

it("a replay that is under way is listed, whosever it is, and can be cancelled", async () => {
  const id = newId("rpl");
  // Nothing works it off, because it has no parts.
  await world.rows(
    `insert into webhooks.replay
       (book_id, id, status, statuses, since, until, include_missed, below_id, matched, created_at)
     values ($1, $2, 'Running', '{Delivered}', '2027-01-30', '2027-01-31', false, $2, 7, now())`,
    [uuidOf(bookIdOf(tenant, "Live")), uuidOf(id)],
  );
  const shown = {
    replay: id,
    tenant,
    name: world.tenant.tenant.name,
    mode: "Live",
    status: "Running",
    matched: 7,
    queued: 0,
    since: "2027-01-30T00:00:00.000Z",
    until: "2027-01-31T00:00:00.000Z",
  };
  const listed = (await runs("replays", "--json")).out.trim().split("\n");
  expect(listed.map((line) => JSON.parse(line) as unknown)).toContainEqual(expect.objectContaining(shown));
  expect((await runs("replays", "--tenant", tenant)).out).toBe(
    `${id}  ${shown.name} Live  Running  0 of 7 queued  ${shown.since} to ${shown.until}  every endpoint\n`,
  );
  const cancelled = await runs("cancel-replay", id, "--by", "ada", "--json");
  expect(JSON.parse(cancelled.out)).toMatchObject({ ...shown, status: "Cancelled" });
  expect((await runs("replays", "--tenant", tenant)).out).toBe("no replay is under way\n");
});

it("what the service refuses is said as the service says it", async () => {
  const none = "we_01jd3k2n6vfc4b8m0x7p5g3hyj";
  expect((await replays("--endpoint", none, "--by", "ada")).complaint).toBe(
    "There is no webhook endpoint with this id in this book. Check the id and the mode: Test and Live are separate.\n",
  );
  expect(await runs("cancel-replay", "rpl_01jd3k2n6vfc4b8m0x7p5g3hyj", "--by", "ada")).toEqual({
    code: 1,
    out: "",
    complaint: "there is no replay rpl_01jd3k2n6vfc4b8m0x7p5g3hyj; it may belong to another tenant\n",
  });
});
