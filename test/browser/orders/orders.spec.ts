/** The list of orders, as an operator reads it in a browser. */
import { describe, expect, it } from "vitest";
import type { Rail } from "../../../contracts/rails/rails.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());

describe("the list of orders", () => {
  it("shows each order, and keeps its filters in the address", async () => {
    const { world } = dashboard;
    const payer = await world.payerNamed("Operating");
    const made = (rail: Rail, counterpartyName: string, amountCents: number) =>
      world.post("/v1/payment-orders", payer.body(amountCents, rail, { counterpartyName, submit: false }));
    await made("Wire", "Meridian Fuel Supply", 8_412_500);
    await made("Ach", "Blue <img src=x onerror=alert(1)> Carriers", 99_999);
    const shown = await dashboard.as("maya", "/orders");
    const { page } = shown;
    await page.getByText("$84,125.00").waitFor();
    expect(await page.getByText("Blue <img src=x onerror=alert(1)> Carriers").isVisible()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);

    await page.getByLabel("Rail").selectOption("Wire");
    await page.getByText("$999.99").waitFor({ state: "hidden" });
    expect(new URL(page.url()).search).toBe("?rail=Wire");
    await page.reload();
    await page.getByText("$84,125.00").waitFor();
    expect(await page.getByText("$999.99").count()).toBe(0);
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("keeps each of several filters that change before the list is drawn again", async () => {
    const shown = await dashboard.as("maya", "/orders");
    const { page } = shown;
    await page.getByLabel("Direction").waitFor();
    await page.evaluate(`
      for (const [label, value] of [["Status", "Failed"], ["Rail", "Wire"], ["Direction", "Debit"]]) {
        const choice = document.querySelector("select[aria-label='" + label + "']");
        choice.value = value;
        choice.dispatchEvent(new Event("change", { bubbles: true }));
      }`);
    await page.waitForURL("**/orders?*");
    await page.getByText("No order matches these filters").waitFor();
    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).toEqual({ status: "Failed", rail: "Wire", direction: "Debit" });
    await shown.close();
  });

  it("finds orders by account, amounts and days of creation, as its address says them", async () => {
    const { world } = dashboard;
    const [payer, other] = await Promise.all([world.payerNamed("Freight"), world.payerNamed("Payroll")]);
    for (const cents of [100_000, 123_456, 200_000]) await payer.pays(cents, { submit: false });
    await other.pays(123_456, { submit: false });
    const shown = await dashboard.as("maya", "/orders?fromCents=100001&createdFrom=yesterday");
    const { page } = shown;
    const amounts = () => page.locator("tbody .num.strong").allInnerTexts();
    const search = () => Object.fromEntries(new URL(page.url()).searchParams);
    await page.getByLabel("Account name").fill("Freight");
    await page.keyboard.press("Enter");
    await until("the orders of the account", async () => (await amounts()).length === 2);
    expect(await amounts()).toEqual(["$2,000.00", "$1,234.56"]);
    await page.getByLabel("Amount up to").fill("1,234.56");
    await page.keyboard.press("Enter");
    await until("the smaller order", async () => (await amounts()).length === 1);
    expect(await amounts()).toEqual(["$1,234.56"]);
    await page.getByLabel("Created from").fill("2020-01-31");
    await page.getByLabel("Created up to").fill("2020-02-01");
    await page.getByText("No order matches these filters").waitFor();
    expect(search()).toEqual({
      ledgerAccountName: "Freight",
      fromCents: "100001",
      toCents: "123456",
      createdFrom: "2020-01-31",
      createdTo: "2020-02-01",
    });
    await page.getByLabel("Created up to").fill("2999-12-31");
    await page.getByText("$1,234.56").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("reads ahead the order and the page that the pointer rests on", async () => {
    const { world } = dashboard;
    const payer = await world.payerNamed("Read ahead");
    const drafts = Array.from({ length: 51 }, () => payer.pays(1_000, { submit: false }));
    const ids = (await Promise.all(drafts)).map(({ id }) => id);
    const shown = await dashboard.as("maya", "/orders");
    const { page } = shown;
    const row = page.getByRole("link", { name: "Ada Example" }).first();
    const [read] = await Promise.all([
      page.waitForRequest((request) => /payment-orders\/po_\w+$/.test(request.url())),
      row.hover(),
    ]);
    expect(ids).toContain(read.url().split("/").at(-1));
    await Promise.all([
      page.waitForRequest((request) => request.url().includes("cursor=")),
      page.getByRole("button", { name: "Next" }).hover(),
    ]);
    expect(new URL(page.url()).search).toBe("");
    expect(shown.faults).toEqual([]);
    await shown.close();
  });
});
