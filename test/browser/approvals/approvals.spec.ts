/** How an approver decides in a browser: with the mouse, and with the keyboard alone. */
import { describe, expect, it } from "vitest";
import type { Inbox } from "../../../clients/typescript/types.gen.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { Dashboard } from "../dashboard.ts";
import { addPasskeyByKeyboard } from "../passkey.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Carrier settlements");

/** A wire needs two approvals in every book. */
async function waitingWire(counterpartyName: string, amountCents: number): Promise<string> {
  const made = await world.post<{ id: string }>(
    "/v1/payment-orders",
    payer.body(amountCents, "Wire", { counterpartyName, description: "Diesel, week 46" }),
  );
  await world.reaches(made.body.id, ({ awaiting }) => awaiting === "Approval");
  return made.body.id;
}

describe("the inbox of approvals", () => {
  it("shows whom an order pays and what it does, and approves it with the keyboard alone", async () => {
    const id = await waitingWire("Meridian Fuel Supply", 8_412_500);
    await world.post(`/v1/payment-orders/${id}/approve`, undefined, { as: "approver1" });
    const shown = await dashboard.as("omar", `/approvals?order=${id}`);
    const { page } = shown;
    await page.getByText("Two people must approve.").waitFor();
    expect(await page.getByText("to Meridian Fuel Supply •••• 6789 at 790001005").isVisible()).toBe(true);
    expect(await page.getByText("the last approval", { exact: true }).isVisible()).toBe(true);
    expect(await page.getByText("Orders on Wire need two approvals.").isVisible()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);

    await page.keyboard.press("a");
    await page.getByRole("heading", { name: "Approve this order?" }).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.locator("button:focus", { hasText: "Approve $84,125.00" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("You have no passkey yet.").waitFor();
    expect(await screenFaults(shown, [403])).toEqual([]);
    await addPasskeyByKeyboard(page, "Approve $84,125.00");
    await page.keyboard.press("Enter");
    await page.getByText("approved", { exact: true }).waitFor();
    expect((await world.comesToRest(id)).status).toBe("Completed");
    await page.keyboard.press("Tab");
    await page.locator("button:focus", { hasText: "Close" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await shown.close();
  });

  it("says that one confirmation covers 50 orders where a 51st is ticked", async () => {
    await waitingWire("One Of Many", 150_000);
    const shown = await dashboard.as("noor", "/approvals");
    const { page } = shown;
    await page.getByText("One Of Many").first().waitFor();
    const inbox = await page.evaluate(async (): Promise<Inbox> => {
      const answer = await fetch("/v1/inbox", { headers: { "quittance-mode": "Test" } });
      return (await answer.json()) as Inbox;
    });
    const order = inbox.paymentOrders?.data.find(({ amountCents }) => amountCents === 150_000);
    const data = Array.from({ length: 51 }, (_, number) => ({
      ...order,
      id: `${String(order?.id)}${String(number)}`,
    }));
    const json = { ...inbox, paymentOrders: { ...inbox.paymentOrders, data } };
    await page.route("**/v1/inbox", (route) => route.fulfill({ json }));
    await page.reload();
    const ticks = page.getByRole("checkbox");
    await until("51 rows", async () => (await ticks.count()) === 51);
    for (const tick of await ticks.all()) await tick.click();
    await page.getByText("50 at most").waitFor();
    await page.getByRole("button", { name: "Approve 50, $75,000.00" }).waitFor();
    // The copies have ids that no order has.
    expect(shown.faults.filter((fault) => !fault.includes("status of 404"))).toEqual([]);
    await shown.close();
  });

  it("denies with a reason by the keyboard alone, and shows the next order", async () => {
    await waitingWire("First In The List", 310_000);
    const denied = await waitingWire("Lone Star Tire & Axle", 6_105_418);
    await waitingWire("Cascade Insurance", 312_000);
    const shown = await dashboard.as("noor", `/approvals?order=${denied}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Deny…" }).waitFor();
    await page.keyboard.press("d");
    await page.locator("textarea:focus").waitFor();
    await page.keyboard.type("The invoice is not ours");
    await page.keyboard.press("Tab");
    await page.locator("button:focus", { hasText: "Deny $61,054.18" }).waitFor();
    await page.keyboard.press("Enter");
    await addPasskeyByKeyboard(page, "Deny $61,054.18");
    expect(await page.getByLabel("Reason, for the maker").inputValue()).toBe("The invoice is not ours");
    await page.keyboard.press("Enter");
    await page.getByText("denied", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Close" }).press("Enter");
    await page.getByText("to Cascade Insurance").waitFor();
    const cancelled = await until("the order to be cancelled", async () => {
      const order = await world.order(denied);
      return order.status === "Cancelled" ? order : undefined;
    });
    expect(cancelled.cancelReason).toBe("The invoice is not ours");
    await shown.close();
  });

  it("approves several under one confirmation, by the keyboard alone, and says of each what became of it", async () => {
    const ids = [await waitingWire("Bulk One", 100_000), await waitingWire("Bulk Two", 200_000)];
    const shown = await dashboard.as("vic", `/approvals?order=${ids[0] ?? ""}`);
    const { page } = shown;
    await page.getByText("to Bulk One").waitFor();
    await page.keyboard.press("x");
    await page.keyboard.press("j");
    await page.getByText("to Bulk Two").waitFor();
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Approve 2, $3,000.00" }).waitFor();
    await page.keyboard.press("a");
    const sheet = page.getByRole("dialog");
    await sheet.getByText("Bulk Two").waitFor();
    // Somebody cancels one while the sheet is open.
    await world.post(`/v1/payment-orders/${ids[1] ?? ""}/cancel`, { reason: "A duplicate" });
    await page.locator("button:focus", { hasText: "Approve $3,000.00" }).waitFor();
    await page.keyboard.press("Enter");
    await addPasskeyByKeyboard(page, "Approve $3,000.00");
    await page.keyboard.press("Enter");
    await sheet.getByText("approved", { exact: true }).waitFor();
    await sheet.getByText("It is cancelled now, by maker: A duplicate.").waitFor();
    expect(await screenFaults(shown, [403, 409])).toEqual([]);
    const [first] = await Promise.all(ids.map((id) => world.order(id)));
    expect(first?.approval.approvals.map(({ principal }) => principal)).toEqual(["vic"]);
    await shown.close();
  });

  it("lists only orders of a rail and an amount, and the largest first", async () => {
    await waitingWire("Filter Small", 120_000);
    await waitingWire("Filter Middle", 1_000_000);
    await waitingWire("Filter Large", 1_000_001);
    const shown = await dashboard.as("noor", "/approvals?from=10000&sort=largest");
    const { page } = shown;
    const inbox = page.getByRole("region", { name: "Orders that wait for approval" });
    const names = () => inbox.getByText(/^Filter/).allInnerTexts();
    await inbox.getByText("Filter Large").waitFor();
    expect(await names()).toEqual(["Filter Large", "Filter Middle"]);
    expect(await screenFaults(shown)).toEqual([]);

    await page.getByLabel("Rail").selectOption("RTP");
    await inbox.getByText("No order matches these filters").waitFor();
    expect(new URL(page.url()).search).toBe("?rail=Rtp&from=10000&sort=largest");
    expect(await screenFaults(shown)).toEqual([]);
    await inbox.getByRole("button", { name: "Clear filters" }).click();
    await inbox.getByText("Filter Small").waitFor();
    expect(await names()).toEqual(["Filter Small", "Filter Middle", "Filter Large"]);
    await shown.close();
  });

  it("approves nothing that a filter hides", async () => {
    const hidden = await waitingWire("Hidden Order", 130_000);
    const shown = await dashboard.as("vic", `/approvals?order=${hidden}`);
    const { page } = shown;
    await page.getByText("to Hidden Order").waitFor();
    await page.keyboard.press("x");
    await page.getByLabel("Select the order to Hidden Order").and(page.locator(":checked")).waitFor();
    await page.getByLabel("Amount").selectOption("$10,000.00 or more");
    await page.getByLabel("Select the order to Hidden Order").waitFor({ state: "detached" });
    await page.getByLabel("Amount").selectOption("Any amount");
    expect(await page.getByLabel("Select the order to Hidden Order").isChecked()).toBe(false);
    await shown.close();
  });

  it("sends the same request as before when a decision is made again after a reload", async () => {
    const id = await waitingWire("Sent Again", 1_204_000);
    const shown = await dashboard.as("ines", `/approvals?order=${id}`);
    const { page } = shown;
    const keys: (string | undefined)[] = [];
    await page.route(`**/${id}/approve`, async (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      if (keys.length === 1) await route.fulfill({ status: 503, json: { title: "Away", retryable: true } });
      else await route.continue();
    });
    const open = page.getByRole("button", { name: "Approve $12,040.00" });
    const sheet = page.getByRole("dialog");
    const approve = sheet.getByRole("button", { name: "Approve $12,040.00" });
    await open.click();
    await approve.click();
    await sheet.getByRole("button", { name: "Add a passkey" }).click();
    await approve.click();
    await sheet.getByText("Away").waitFor();
    await page.reload();
    await open.click();
    await approve.click();
    await sheet.getByText("approved", { exact: true }).waitFor();
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    await shown.close();
  });

  it("decides nothing where no passkey confirms it, says so, and can be tried again", async () => {
    const id = await waitingWire("Not Confirmed", 1_305_000);
    const shown = await dashboard.as("omar", `/approvals?order=${id}`);
    const { page } = shown;
    await page.evaluate(
      `navigator.credentials.get = () => Promise.reject(new DOMException("cancelled", "NotAllowedError"))`,
    );
    await page.getByRole("button", { name: "Approve $13,050.00" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Approve $13,050.00" }).click();
    await sheet.getByText("No passkey of yours confirmed it, so nothing was done.").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    expect((await world.order(id)).approval.received).toBe(0);
    expect(await sheet.getByRole("button", { name: "Approve $13,050.00" }).isEnabled()).toBe(true);
    await shown.close();
  });

  it("says before the click why a maker may not approve", async () => {
    const id = await waitingWire("Summit Drayage", 1_204_075);
    const shown = await dashboard.as("maker", `/approvals?order=${id}`);
    const { page } = shown;
    await page.getByText("You made this order, so another person must approve it.").waitFor();
    expect(await page.getByRole("button", { name: "Approve $12,040.75" }).count()).toBe(0);
    await page.keyboard.press("a");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("says so when the shown order is cancelled", async () => {
    const id = await waitingWire("Blue Ridge Carriers", 1_847_290);
    const shown = await dashboard.as("noor", `/approvals?order=${id}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Approve $18,472.90" }).waitFor();
    await world.post(`/v1/payment-orders/${id}/cancel`, { reason: "Paid by check" });
    await page.getByText("It is cancelled now, by maker: Paid by check.").waitFor();
    expect(await page.getByRole("button", { name: "Approve $18,472.90" }).count()).toBe(0);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("shows what a proposed policy loosens, and lets another admin approve it", async () => {
    const { body: policy } = await world.get<Record<string, unknown>>("/v1/approval-policy", "admin");
    const { admin } = world.tenant.keys;
    const looser = { ...policy, approvalThresholdCents: 2_000_000 };
    await world.send(admin, "PUT", "/v1/approval-policy", { body: looser });
    const shown = await dashboard.as("ada", "/approvals");
    const { page } = shown;
    await page.getByRole("button", { name: "Approval policy" }).click();
    await page.getByText("Orders above $20,000.00 need one approval.").waitFor();
    await page.getByText("Now: Orders above $10,000.00 need one approval.").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Approve the proposal" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await page.getByText("approved", { exact: true }).waitFor();
    const { body: now } = await world.get<Record<string, unknown>>("/v1/approval-policy", "admin");
    expect(now["approvalThresholdCents"]).toBe(2_000_000);
    await shown.close();
  });

  it("says what a proposal has become that a stricter policy supersedes while it is shown", async () => {
    const { body: policy } = await world.get<Record<string, unknown>>("/v1/approval-policy", "admin");
    const { admin } = world.tenant.keys;
    const looser = { ...policy, approvalThresholdCents: 3_000_000 };
    const put = await world.send<{ proposalId: string }>(admin, "PUT", "/v1/approval-policy", {
      body: looser,
    });
    const shown = await dashboard.as("ada", `/approvals?order=${put.body.proposalId}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Approve the proposal" }).waitFor();
    const stricter = { ...policy, approvalThresholdCents: 500_000 };
    await world.send(admin, "PUT", "/v1/approval-policy", { body: stricter });
    await page.getByText("It is superseded now, by admin.").waitFor();
    expect(await page.getByRole("button", { name: "Approve the proposal" }).count()).toBe(0);
    await shown.close();
  });
});
