/** A screen that follows its book in a browser. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { Dashboard } from "../dashboard.ts";
import { tooMany } from "../problems.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
/** A second, and a pause of a busy machine. What is only polled comes after ten. */
const aSecondMs = 9_000;
const payer = await world.payerNamed("Fuel cards");

/** A wire that waits for its approvals. */
async function waitingWire(counterpartyName: string): Promise<string> {
  const body = payer.body(4_711_00, "Wire", { counterpartyName });
  const made = await world.post<{ id: string }>("/v1/payment-orders", body);
  await world.reaches(made.body.id, ({ awaiting }) => awaiting === "Approval");
  return made.body.id;
}

describe("an open screen", () => {
  it("shows what others do without being loaded again", async () => {
    const shown = await dashboard.as("vera", "/orders");
    await shown.page.getByRole("heading", { name: "Orders" }).waitFor();
    const id = await waitingWire("Arrives While Watched");
    const row = shown.page.getByRole("row", { name: "Arrives While Watched" });
    await row.getByText("Pending").waitFor();
    await world.post(`/v1/payment-orders/${id}/cancel`, { reason: "A test" });
    await row.getByText("Cancelled").waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("says within a second that the next approval is the last, when somebody else has given the first", async () => {
    const id = await waitingWire("Two Must Approve");
    const shown = await dashboard.as("noor", `/approvals?order=${id}`);
    const { page } = shown;
    await page.getByText("one of the approvals that are missing").waitFor();
    await world.post(`/v1/payment-orders/${id}/approve`, undefined, { as: "approver1" });
    await page.getByText("the last approval", { exact: true }).waitFor({ timeout: aSecondMs });
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("says since when it does not follow, and decides nothing until it does again", async () => {
    const id = await waitingWire("Decided Later");
    const shown = await dashboard.as("noor", `/approvals?order=${id}`);
    const { page } = shown;
    await page.route("**/v1/stream", (route) => route.abort());
    await page.reload();
    const note = page.getByText("What you see is as it was at");
    await note.waitFor();
    await page.getByRole("button", { name: "Approve $4,711.00" }).click();
    const approve = page.getByRole("dialog").getByRole("button", { name: "Approve $4,711.00" });
    await expect.poll(() => approve.isDisabled()).toBe(true);
    await page.unroute("**/v1/stream");
    await page.route("**/v1/stream", (route) => route.fulfill({ status: 429, body: "{}" }));
    await page.getByText("Too many pages are open.").waitFor();
    await page.unroute("**/v1/stream");
    await note.waitFor({ state: "hidden" });
    expect(await approve.isEnabled()).toBe(true);
    await shown.close();
  });

  it("says so if what it shows can't be read again, although the book does not rest", async () => {
    const id = await waitingWire("Watched");
    const path = `/v1/payment-orders/${id}`;
    const shown = await dashboard.as("vera", `/orders/${id}`);
    const { page } = shown;
    await page.getByText("Watched").first().waitFor();
    const { promise: failed, resolve: fail } = Promise.withResolvers<void>();
    const reads = new Map<string, number>();
    await page.route("**/v1/**", async (route) => {
      const { pathname } = new URL(route.request().url());
      const count = (reads.get(pathname) ?? 0) + 1;
      reads.set(pathname, count);
      if (pathname !== path) return route.continue();
      if (count > 1) return; // never answered
      await failed;
      await route.fulfill(tooMany);
    });
    await until("other answers that are read again and again", async () => {
      await payer.pays(100);
      return reads.has(path) && Math.max(...reads.values()) > 2;
    });
    fail();
    const note = page.getByText("What you see is as it was at");
    await note.waitFor();
    expect(await note.isVisible()).toBe(true);
    await shown.close();
  });

  it("sends nothing of an order while it does not follow", async () => {
    const { id } = await payer.pays(2_000, { submit: false });
    const shown = await dashboard.as("maya", `/orders/${id}`);
    const { page } = shown;
    await page.route("**/v1/stream", (route) => route.abort());
    await page.reload();
    const note = page.getByText("What you see is as it was at");
    await note.waitFor();
    const buttons = ["Settle", "Submit $20.00"].map((name) =>
      page.getByRole("button", { name, exact: true }),
    );
    for (const button of buttons) await expect.poll(() => button.isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Cancel the order…" }).click();
    const cancel = page.getByRole("dialog").getByRole("button", { name: "Cancel the order" });
    await expect.poll(() => cancel.isDisabled()).toBe(true);
    await page.unroute("**/v1/stream");
    await note.waitFor({ state: "hidden" });
    expect(await cancel.isEnabled()).toBe(true);
    await page.keyboard.press("Escape");
    for (const button of buttons) expect(await button.isEnabled()).toBe(true);
    await shown.close();
  });

  it("sends no new order while it does not follow", async () => {
    const shown = await dashboard.as("maya", "/orders/new");
    const { page } = shown;
    await page.route("**/v1/stream", (route) => route.abort());
    await page.reload();
    await page.getByText("What you see is as it was at").waitFor();
    await page.getByLabel("Rail").selectOption("Rtp");
    await page.getByLabel("Amount in US dollars").fill("20.00");
    await page.getByLabel("From your account").fill("Fuel cards");
    await page.getByLabel("Paid to").fill("Ada Example");
    await page.getByLabel("Account number").fill("000123456789");
    await page.getByLabel("Routing number").fill("790001005");
    const buttons = ["Send $20.00", "Save as draft"].map((name) => page.getByRole("button", { name }));
    for (const button of buttons) await expect.poll(() => button.isDisabled()).toBe(true);
    await page.unroute("**/v1/stream");
    await page.getByText("What you see is as it was at").waitFor({ state: "hidden" });
    for (const button of buttons) expect(await button.isEnabled()).toBe(true);
    await shown.close();
  });

  it("says which reads nobody asked for, so that they keep no session alive", async () => {
    const shown = await dashboard.as("vera", "/orders");
    const { page } = shown;
    await page.clock.install();
    await page.reload();
    await page.getByRole("heading", { name: "Orders" }).waitFor();
    /** What the next read says while the page's time goes on. */
    const readsWithin = async (ms: number) => {
      const [request] = await Promise.all([
        page.waitForRequest((sent) => sent.url().includes("/v1/ledger/proof")),
        page.clock.runFor(ms),
      ]);
      return request.headers()["quittance-unattended"];
    };
    expect(await readsWithin(20_000)).toBeUndefined();
    await page.clock.runFor(60_000);
    expect(await readsWithin(20_000)).toBe("true");
    await page.keyboard.press("Shift");
    expect(await readsWithin(20_000)).toBeUndefined();
    await shown.discard();
  });
});
