import { describe, expect, it } from "vitest";
import type { ApprovalPolicy } from "../../../contracts/http/payments/approval-policies.ts";
import { call } from "../../../scripts/local/demo/api.ts";
import { moveFirstPayment } from "../../../scripts/local/demo/first-payment.ts";
import type { SeededTenant } from "../../../scripts/local/demo/seed.ts";
import { runTour } from "../../../scripts/tour/run-tour.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { farFromMidnight } from "../../stack/new-york-day.ts";
import { seedOtherTenant } from "../../world/system/operator.ts";
import { World } from "../../world/world.ts";

// One of the tours meets a daily limit.
await farFromMidnight();
const world = await forThisFile(World.join());

/** A sandbox whose approval policy differs from the default: one principal puts it, another agrees if it loosens. */
async function sandboxWith(name: string, change: Partial<ApprovalPolicy>): Promise<SeededTenant["keys"]> {
  const { keys } = await seedOtherTenant(world, name);
  const path = "/v1/approval-policy";
  const { approver1, approver2 } = keys;
  const { body: policy } = await call(world.baseUrl(), { method: "GET", path, key: approver1 });
  const request = { method: "PUT", path, key: approver1, body: { ...policy, ...change } } as const;
  const { body } = await call<{ proposalId?: string }>(world.baseUrl(), request);
  if (body.proposalId !== undefined) {
    const agree = `${path}/proposals/${body.proposalId}/approve`;
    await call(world.baseUrl(), { method: "POST", path: agree, key: approver2 });
  }
  const { body: inForce } = await call(world.baseUrl(), { method: "GET", path, key: approver1 });
  expect(inForce).toMatchObject(change);
  return keys;
}

const { keys: clockKeys } = await seedOtherTenant(world, "Clock");

async function tour(keys: SeededTenant["keys"]) {
  const lines: string[] = [];
  const result = await runTour({ baseUrl: world.baseUrl(), keys, clockKeys }, (line) => lines.push(line));
  return { ...result, lines };
}
const titlesOf = (lines: readonly string[]) => lines.filter((line) => /^\n *\d+\. /.test(line));
/** Each stop that was skipped, by the start of its title. */
const skippedOf = (lines: readonly string[]) =>
  lines.flatMap((line, index) => {
    if (!line.startsWith("    skipped: ")) return [];
    const title = titlesOf(lines.slice(0, index)).at(-1) ?? "";
    return [title.replace(/^\n *\d+\. ([^:]*).*$/, "$1")];
  });

describe("the first payment of a start", () => {
  it("happens once for the receiver of the last start, and again with a new one if the tenant deleted its endpoint", async () => {
    const { keys } = await seedOtherTenant(world, "Started twice");
    const first = await moveFirstPayment(world.baseUrl(), keys);
    const again = await moveFirstPayment(world.baseUrl(), keys, first);
    expect(again).toMatchObject({ sinkId: first.sinkId, outcome: "Its book is as you left it.", way: [] });
    const asMaker = <T>(method: "GET" | "DELETE", path: string) =>
      call<T>(world.baseUrl(), { method, path, key: keys.maker });
    const { body } = await asMaker<{ data: { id: string }[] }>("GET", "/v1/webhook-endpoints");
    expect(body.data).toHaveLength(1);
    await asMaker("DELETE", `/v1/webhook-endpoints/${body.data[0]?.id ?? ""}`);
    const renewed = await moveFirstPayment(world.baseUrl(), keys, first);
    expect(renewed.sinkId).not.toBe(first.sinkId);
    expect(renewed.way.at(-1)).toContain("payment_order.completed, signature verified");
  });
});

describe("the tour", () => {
  it("takes every stop under the default policy", async () => {
    const { steps, skipped, lines } = await tour(world.tenant.keys);
    expect([steps, skipped, titlesOf(lines).length]).toEqual([35, 0, 35]);
    expect(lines.join("\n")).not.toContain("differs from the default");
    const page = `${world.baseUrl().replace("127.0.0.1", "localhost")}/test/orders/po_`;
    expect(lines.filter((line) => line.startsWith(`    page:  ${page}`)).length).toBeGreaterThanOrEqual(15);
  });

  it("takes every stop where each order needs approvals and a verified counterparty", async () => {
    const strict = { requireApprovalForAll: true, requireVerifiedCounterparty: true };
    const { steps, skipped, lines } = await tour(await sandboxWith("Strict", strict));
    expect([steps, skipped]).toEqual([35, 0]);
    expect(lines[0]).toBe(
      "\nThe approval policy in force differs from the default: requireApprovalForAll true, requireVerifiedCounterparty true",
    );
  });

  it("takes every stop where a wire needs no approval and makers may approve", async () => {
    const loose = { dualApprovalRails: [], allowSelfApproval: true };
    const { steps, skipped, lines } = await tour(await sandboxWith("Loose", loose));
    expect([steps, skipped]).toEqual([35, 0]);
    const titles = titlesOf(lines).join("\n");
    expect(titles).toContain("Wire: $1,800.00, without approval");
    expect(titles).toContain("Cancelled: a draft");
  });

  it("skips what a daily limit refuses, with the reason, and takes the others", async () => {
    const { steps, skipped, lines } = await tour(await sandboxWith("Limited", { dailyLimitCents: 40_000 }));
    expect([steps, skipped]).toEqual([35, 10]);
    expect(skippedOf(lines)).toEqual([
      "Ach, Credit",
      "Book",
      "Usdc",
      "Wire",
      "Returned",
      "Late return",
      "Rejected",
      "Insufficient funds",
      "Cancelled",
      "Remitted",
    ]);
  });
});

describe("the first payment of make start", () => {
  it("is approved by others where the policy wants that", async () => {
    const keys = await sandboxWith("Approving", { requireApprovalForAll: true });
    const { outcome, way } = await moveFirstPayment(world.baseUrl(), keys);
    expect(outcome).toBe("A first payment of $25.00 went over RTP:");
    expect(way.join("\n")).toContain("Completed");
  });

  it("is left out, with the reason, where the policy refuses it", async () => {
    const keys = await sandboxWith("Refusing", { requireVerifiedCounterparty: true });
    const { outcome, way } = await moveFirstPayment(world.baseUrl(), keys);
    expect(outcome).toMatch(/^Its approval policy refuses a first payment: ./);
    expect(way).toEqual([]);
  });
});
