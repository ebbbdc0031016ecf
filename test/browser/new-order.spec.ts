/** The form for a new payment order, as a maker fills it in. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { forThisFile } from "../stack/for-this-file.ts";
import { until } from "../stack/until.ts";
import { Dashboard } from "./dashboard.ts";
import { loseAnswers } from "./lose-answers.ts";
import { screenFaults } from "./screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
await world.payerNamed("Operating");

async function fillIn(page: Page, amount: string): Promise<void> {
  await page.getByLabel("Rail").selectOption("Rtp");
  await page.getByLabel("Amount in US dollars").fill(amount);
  await page.getByLabel("From your account").fill("Operating");
  await page.getByLabel("Paid to").fill("Meridian Fuel Supply");
  await page.getByLabel("Account number").fill("000123456789");
  await page.getByLabel("Routing number").fill("790001005");
}

describe("a new order", () => {
  it("shows at each pause what would become of it, and is sent with the keyboard alone", async () => {
    const shown = await dashboard.as("maya", "/orders");
    const { page } = shown;
    await page.getByRole("link", { name: "New order" }).click();
    await page.getByText("Fill in amount, account and counterparty").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await fillIn(page, "1,234.5");
    await page.getByRole("row", { name: "Posted $0.00 $0.00 −$1,234.50" }).waitFor();
    expect(await page.getByText("Approvals").last().isVisible()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByLabel("Routing number").press("Enter");
    await page.getByText("The money has moved, and the ledger has posted it.").waitFor();
    await page.getByText("$1,234.50").first().waitFor();
    await shown.close();
  });

  it("shows at a field what is wrong with its value", async () => {
    const shown = await dashboard.as("maya", "/orders/new");
    const { page } = shown;
    await fillIn(page, "10");
    await page.getByLabel("Routing number").fill("790001006");
    await page.locator(".fault").waitFor();
    expect(await page.getByLabel("Routing number").getAttribute("aria-invalid")).toBe("true");
    expect(await screenFaults(shown, [400, 422])).toEqual([]);
    await shown.close();
  });

  it("is made once, however often it is sent, also after a reload", async () => {
    const shown = await dashboard.as("maya", "/orders/new");
    const { page } = shown;
    const countLost = await loseAnswers(page, "/v1/payment-orders", 2);
    const send = async () => {
      await fillIn(page, "77.00");
      await page.getByRole("button", { name: "Send $77.00" }).click();
    };
    await send();
    await page.getByText("Quittance can't be reached").first().waitFor();
    await page.getByRole("button", { name: "Send $77.00" }).click();
    await until("the second answer to get lost", async () => (await countLost()) === 2);
    await page.reload();
    await send();
    await page.waitForURL(/\/orders\/po_/);
    const { body } = await world.get<{ data: { amountCents: number }[] }>("/v1/payment-orders");
    expect(body.data.filter(({ amountCents }) => amountCents === 7_700)).toHaveLength(1);
    await shown.close();
  });

  it("suggests, in a book of many accounts, those whose name begins with what is typed", async () => {
    const fleet = Array.from({ length: 100 }, (_, number) => `Fleet ${String(number)}`);
    for (const name of fleet) await world.post("/v1/ledger-accounts", { name });
    const shown = await dashboard.as("maya", "/orders/new");
    const { page } = shown;
    const suggested = page.locator("datalist option[value='Operating']");
    await page.locator("datalist option[value='Fleet 99']").waitFor({ state: "attached" });
    expect(await suggested.count()).toBe(0);
    await page.getByLabel("From your account").fill("oper");
    await suggested.waitFor({ state: "attached" });
    expect(shown.faults).toEqual([]);
    await shown.close();
  });
});
