import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { type ApiKeyId, bookIdOf, type TenantId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../../contracts/message.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startGateway } from "../../../test/stack/services/gateway.ts";
import { type Holder, KeyDesk } from "../../../test/stack/services/key-desk.ts";
import { poisonBook } from "../../../test/stack/messages/poisoned-book.ts";
import { until } from "../../../test/stack/until.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { PublishApprovalRights } from "./publish-approval-rights.worker.ts";
import { revokeKey } from "./revoke-key.ts";

let ana: Holder;
let bob: Holder;
let turn = 0;
/** A principal of this test alone. */
let dora: string;
const gateway = await forThisFile(startGateway());
const desk = await KeyDesk.open(gateway);
beforeEach(async () => {
  [ana, bob] = await desk.people();
  dora = `dora ${String((turn += 1))}`;
});

const path = "/v1/api-keys";
const lost = "1970-01-01T00:00:00.000Z";
const approver = () => gateway.issue({ principal: dora, scopes: ["orders:read", "orders:approve"] });
const inAMinute = () => new Date(Date.now() + 60_000);
const revoke = (key: { id: string }) => desk.post(`${path}/${key.id}/revoke`, bob);

/** What was published of a principal: sequence, end, and whether it is held anew; oldest first. */
async function published(of: string, mode: "Test" | "Live" = "Test"): Promise<unknown[]> {
  const tenant: TenantId = gateway.tenant;
  const rows = await gateway.database.sql<{ message: AnyMessage }>(
    `select f.message
     from outbox o, jsonb_array_elements(('[' || o.message || ']')::jsonb) f (message)
     where o.book_id = $1
       and f.message ->> 'type' = 'gateway.approval-right-changed.v1'
       and f.message ->> 'subject' = $2
     order by (f.message ->> 'sequence')::int`,
    [uuidOf(bookIdOf(tenant, mode)), of],
  );
  return rows.map(({ message }) => {
    const { heldUntil, heldSince } = message.data as { heldUntil: string | null; heldSince: string | null };
    return [message.sequence, heldUntil, ...(heldSince === null ? [] : ["anew"])];
  });
}

describe("the right to approve is published", () => {
  it("when a principal's last key with orders:approve is revoked, and when it gets another", async () => {
    const [first, second] = [await approver(), await approver()];
    await revoke(first);
    expect(await published(dora)).toEqual([]);
    await revoke(second);
    expect(await published(dora)).toEqual([[1, lost]]);
    await approver();
    expect(await published(dora)).toEqual([
      [1, lost],
      [2, null, "anew"],
    ]);
  });

  it("also when the operator revokes it while another of its keys is being revoked", async () => {
    const [first, second] = [await approver(), await approver()];
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const one = gateway.units.run(async (unit) => {
      await revokeKey(unit, first.id);
      begun.resolve();
      await release.promise;
    });
    await begun.promise;
    const other = gateway.units.run((unit) => revokeKey(unit, second.id));
    // It waits for the first one, and so sees that its key is gone.
    const isBlocked = async () =>
      (
        await gateway.database.sql(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).length > 0;
    await Promise.race([other, until("a revocation that waits", isBlocked)]);
    release.resolve();
    await Promise.all([one, other]);
    expect(await published(dora)).toEqual([[1, lost]]);
  });

  it("with the end of the last key, if every key of the principal expires", async () => {
    const [soon, later] = [3_600_000, 7_200_000].map((ms) => new Date(Date.now() + ms));
    for (const expiresAt of [soon, later]) {
      await gateway.issue({ principal: dora, scopes: ["orders:approve"], expiresAt: expiresAt as Date });
    }
    expect(await published(dora)).toEqual([
      [1, soon?.toISOString()],
      [2, later?.toISOString()],
    ]);
    await approver();
    expect((await published(dora)).at(-1)).toEqual([3, null]);
  });

  it("not by a rotation with an overlap: the principal may approve all the time", async () => {
    const key = await approver();
    const rotated = await desk.post(`${path}/${key.id}/rotate`, ana, { overlapHours: 1 });
    await desk.post(`${path}/proposals/${String(rotated.body.proposalId)}/approve`, bob);
    expect(await desk.opens(rotated.body.key)).toBe(200);
    expect(await published(dora)).toEqual([]);
  });

  it("by a rotation without overlap, which ends the old key before the new one is approved", async () => {
    const key = await approver();
    const rotated = await desk.post(`${path}/${key.id}/rotate`, ana, { overlapHours: 0 });
    expect(await published(dora)).toEqual([[1, lost]]);
    await desk.post(`${path}/proposals/${String(rotated.body.proposalId)}/approve`, bob);
    expect(await published(dora)).toEqual([
      [1, lost],
      [2, null],
    ]);
  });

  it("as held anew if a revocation ended it while the rotation of another key waited", async () => {
    const [first, second] = [await approver(), await approver()];
    const rotated = await desk.post(`${path}/${first.id}/rotate`, ana, { overlapHours: 0 });
    await revoke(second);
    expect(await published(dora)).toEqual([[1, lost]]);
    await desk.post(`${path}/proposals/${String(rotated.body.proposalId)}/approve`, bob);
    expect(await published(dora)).toEqual([
      [1, lost],
      [2, null, "anew"],
    ]);
  });

  it("not again by a rotation whose old key was revoked while it waited", async () => {
    const key = await approver();
    const rotated = await desk.post(`${path}/${key.id}/rotate`, ana, { overlapHours: 0 });
    await revoke(key);
    const late = await desk.post(`${path}/proposals/${String(rotated.body.proposalId)}/approve`, bob);
    expect(late.body).toMatchObject({ code: "invalid_state_transition", currentStatus: "Denied" });
    expect(await published(dora)).toEqual([[1, lost]]);
    await approver();
    expect((await published(dora)).at(-1)).toEqual([2, null, "anew"]);
  });

  it("of principals whose keys ended under a version that published nothing", async () => {
    const key = await approver();
    const { sql } = gateway.database;
    await sql("update api_key set expires_at = now() where id = $1", [uuidOf(key.id as never)]);
    expect(await published(dora)).toEqual([]);
    const worker = new PublishApprovalRights(
      gateway.database,
      gateway.units,
      new Metrics("gateway"),
      pino({ level: "silent" }),
    );
    expect(await worker.publishAll()).toBeGreaterThan(0);
    const [[sequence, heldUntil]] = (await published(dora)) as [[number, string]];
    expect(sequence).toBe(1);
    expect(Date.parse(heldUntil)).toBeLessThanOrEqual(Date.now());
    expect(await worker.publishAll()).toBe(0);
  });

  it.each([
    ["Test", "Live"],
    ["Live", "Test"],
  ] as const)("of principals in the %s book, although the %s book's can't be", async (sound, bad) => {
    for (const mode of [sound, bad]) {
      const { id } = await gateway.issue({
        principal: dora,
        mode,
        scopes: ["orders:read", "orders:approve"],
      });
      await gateway.database.sql("update api_key set expires_at = now() where id = $1", [
        uuidOf(id as never),
      ]);
    }
    const metrics = new Metrics("gateway");
    const log = pino({ level: "silent" });
    const worker = new PublishApprovalRights(gateway.database, gateway.units, metrics, log);
    const cure = await poisonBook(
      gateway.adminUrl,
      "gateway.outbox",
      bookIdOf(gateway.tenant, bad),
      "insert",
    );
    await worker.publishAll();
    expect([await published(dora, sound), await published(dora, bad)]).toEqual([[expect.anything()], []]);
    await cure();
    await worker.publishAll(inAMinute());
    expect(await published(dora, bad)).toEqual([expect.anything()]);
  });

  it("of a principal, even while another book fails with more than a batch of principals", async () => {
    const { id } = await gateway.issue({ principal: dora, scopes: ["orders:approve"] });
    // Read first: Live sorts before Test.
    await gateway.asOwner(`
      insert into gateway.api_key
        (id, tenant_id, mode, hash, prefix, last4, name, principal, scopes, created_by, expires_at)
      select uuidv7(), tenant_id, 'Live', sha256(convert_to('ended ' || n, 'utf8')), prefix, last4, 'ended ' || n,
        '${dora} ' || n, '{orders:approve}', 'ana', now()
      from gateway.api_key, generate_series(1, 150) n
      where id = '${uuidOf(id as ApiKeyId)}'`);
    await gateway.asOwner(
      `update gateway.api_key set expires_at = now() where id = '${uuidOf(id as ApiKeyId)}'`,
    );
    const log = pino({ level: "silent" });
    const worker = new PublishApprovalRights(gateway.database, gateway.units, new Metrics("gateway"), log);
    const cure = await poisonBook(
      gateway.adminUrl,
      "gateway.outbox",
      bookIdOf(gateway.tenant, "Live"),
      "insert",
    );
    await worker.publishAll();
    expect(await published(dora)).toEqual([expect.anything()]);
    await cure();
    while ((await worker.publishAll(inAMinute())) > 0);
    expect(await published(`${dora} 150`, "Live")).toEqual([expect.anything()]);
  });

  it("not for keys that can't approve, and not in the other book", async () => {
    const reader = await gateway.issue({ principal: dora, scopes: ["orders:read"] });
    await revoke(reader);
    await gateway.issue({ principal: dora, mode: "Live" });
    await revoke(await approver());
    expect(await published(dora)).toEqual([[1, lost]]);
    expect(await published(dora, "Live")).toEqual([]);
  });
});
