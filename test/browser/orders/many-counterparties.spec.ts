/** The menus of counterparties in a book that has more than they list. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Taxpayer } from "../../world/taxpayer.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Operating");
const taxpayer = new Taxpayer(world, payer);

async function stored(name: string, rail: string): Promise<string> {
  const accounts = [{ rail, accountNumber: "000123456789", routingNumber: "790001005" }];
  const body = { name, type: "Business", accounts };
  return (await world.post<{ id: string }>("/v1/counterparties", body)).body.id;
}

const oldId = await stored("Old Supplier", "Rtp");
await taxpayer.verifies(oldId);
const goneId = await stored("Old and gone", "Rtp");
await world.post(`/v1/counterparties/${goneId}/archive`, {});
for (let n = 1; n <= 100; n += 1) await stored(`Newer ${String(n)}`, "Ach");

/** Types into the field above a menu, and waits for what it finds. */
async function find(page: Page, text: string, says: string): Promise<void> {
  await page.getByText("The menu has the newest hundred.").waitFor();
  await page.getByLabel("Find a counterparty").fill(text);
  await page.getByText(says).waitFor();
}

describe("a book of more counterparties than a menu lists", () => {
  it("finds an older one for a new order by its name, and Enter in that field sends nothing", async () => {
    const shown = await dashboard.as("maya", "/orders/new");
    const { page } = shown;
    const menu = page.getByLabel("Counterparty", { exact: true });
    await menu.getByText("Newer 100").waitFor({ state: "attached" });
    expect(await menu.getByRole("option").count()).toBe(101);
    await find(page, "old", "None that can be chosen here is found.");
    await page.getByLabel("Rail").selectOption("Rtp");
    await page.getByText("Found: 1, first in the menu.").waitFor();
    expect(await menu.getByRole("option").allInnerTexts()).toEqual(["Type in bank details", "Old Supplier"]);
    await menu.selectOption("Old Supplier");
    await page.getByLabel("Amount in US dollars").fill("84.00");
    await page.getByLabel("From your account").fill("Operating");
    await page.getByRole("button", { name: "Send $84.00" }).and(page.locator(":enabled")).waitFor();
    await page.getByLabel("Find a counterparty").press("Enter");
    await page.getByLabel("Find a counterparty").fill("");
    await page.getByText("The menu has the newest hundred.").waitFor();
    expect(await menu.getByRole("option", { selected: true }).innerText()).toBe("Old Supplier");
    expect(await screenFaults(shown)).toEqual([]);
    expect(new URL(page.url()).pathname).toBe("/test/orders/new");
    await page.getByRole("button", { name: "Send $84.00" }).click();
    await page.waitForURL(/\/orders\/po_/);
    const { counterpartyId } = await world.order(page.url().split("/").at(-1) ?? "");
    expect(counterpartyId).toBe(oldId);
    await shown.close();
  });

  it("begins an order on the page of any of them", async () => {
    const shown = await dashboard.as("maya", `/counterparties/${oldId}`);
    const { page } = shown;
    await page.getByRole("link", { name: "New order" }).click();
    const menu = page.getByLabel("Counterparty", { exact: true });
    await menu.getByText("Old Supplier").waitFor({ state: "attached" });
    expect(await menu.inputValue()).toBe(oldId);
    expect(await page.getByLabel("Rail").inputValue()).toBe("Rtp");
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByLabel("Rail").selectOption("Ach");
    await expect.poll(() => menu.inputValue()).toBe("");
    await page.goto(dashboard.url(`/orders/new?counterpartyId=${goneId}`));
    await page.getByText("The counterparty Old and gone is archived").waitFor();
    await page.goto(dashboard.url("/counterparties"));
    await page.getByRole("link", { name: "Newer 100", exact: true }).click();
    await page.getByText("No order can name it until another person verifies its details.").waitFor();
    expect(await page.getByRole("link", { name: "New order" }).count()).toBe(0);
    await shown.close();
  });

  it("finds an older one as the payee of an obligation, and for a virtual account", async () => {
    const { id } = await taxpayer.records("Without a payee");
    const shown = await dashboard.as("maya", `/obligations/${id}`);
    const { page } = shown;
    await find(page, "old s", "Found: 1, first in the menu.");
    await page.getByLabel("Pay it to").selectOption("Old Supplier");
    await page.getByRole("button", { name: "Set the payee" }).click();
    await page.getByRole("link", { name: "Old Supplier" }).waitFor();
    expect((await taxpayer.reads(id)).payeeCounterpartyId).toBe(oldId);
    await page.goto(dashboard.url("/virtual-accounts"));
    await page.getByRole("button", { name: "Create a virtual account" }).click();
    await find(page, "old s", "Found: 1, first in the menu.");
    await page.getByLabel("Given to").selectOption("Old Supplier");
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });
});
