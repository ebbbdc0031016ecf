/** How an approver decides on a phone, with a finger. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Carrier settlements");
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

async function waitingOrder(counterpartyName: string, cents: number): Promise<string> {
  const body = payer.body(cents, "Rtp", { counterpartyName });
  const { id } = (await world.post<{ id: string }>("/v1/payment-orders", body)).body;
  await world.reaches(id, ({ awaiting }) => awaiting === "Approval");
  return id;
}

describe("an approver with a phone", () => {
  it("approves an order of the inbox with a passkey, and denies the next", async () => {
    const approved = await waitingOrder("Paid By Phone", 1_200_000);
    const denied = await waitingOrder("Denied By Phone", 1_300_000);
    const shown = await dashboard.as("noor", "/approvals", phone);
    const { page } = shown;
    const sheet = page.getByRole("dialog");
    const scrollsSideways = () =>
      page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");

    await page.getByText("Paid By Phone").first().tap();
    await page.getByText("to Paid By Phone").waitFor();
    expect(await scrollsSideways()).toBe(false);
    await page.getByRole("button", { name: "Approve $12,000.00" }).tap();
    const approve = sheet.getByRole("button", { name: "Approve $12,000.00" });
    await approve.tap();
    await sheet.getByRole("button", { name: "Add a passkey" }).tap();
    await approve.tap();
    await sheet.getByText("approved", { exact: true }).waitFor();
    expect(await scrollsSideways()).toBe(false);
    await sheet.getByRole("button", { name: "Close" }).tap();
    expect((await world.comesToRest(approved)).approval.approvals.map(({ principal }) => principal)).toEqual([
      "noor",
    ]);

    await page.goto(dashboard.url("/approvals"));
    await page.getByText("Denied By Phone").first().tap();
    await page.getByText("to Denied By Phone").waitFor();
    await page.getByRole("button", { name: "Deny…" }).tap();
    await sheet.getByLabel("Reason, for the maker").fill("Not ours");
    await sheet.getByRole("button", { name: "Deny $13,000.00" }).tap();
    await sheet.getByText("denied", { exact: true }).waitFor();
    expect((await world.comesToRest(denied)).status).toBe("Cancelled");
    expect(shown.faults.filter((fault) => !fault.includes("status of 403"))).toEqual([]);
    await shown.close();
  });
});
