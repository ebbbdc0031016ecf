/** Account numbers of one's own: listed, found and made in a browser. */
import { describe, expect, it } from "vitest";
import type { VirtualAccount } from "../../../clients/typescript/types.gen.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { aVirtualAccount } from "../../world/inbound.ts";
import { Dashboard } from "../dashboard.ts";
import { loseAnswers } from "../lose-answers.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Carrier settlements");
const other = await world.payerNamed("Fuel deposits");

const numberFor = (name: string, more: object = {}) =>
  aVirtualAccount(world, { name, ledgerAccountName: "Carrier settlements", ...more });

describe("virtual accounts", () => {
  it("are listed with their masked number, ledger account and status, and filtered by the address", async () => {
    const { accountNumber } = await numberFor("Blue Freight", {
      externalId: "BF-1",
      description: "Deposits",
    });
    const fuel = await numberFor("Red Diesel", {
      ledgerAccountName: "Fuel deposits",
      externalId: "20260101",
    });
    await world.post(`/v1/virtual-accounts/${fuel.id}/disable`, {});
    const shown = await dashboard.as("vera", "/virtual-accounts");
    const { page } = shown;
    const last4 = accountNumber.slice(-4);
    await page
      .getByRole("row", { name: `Blue Freight Deposits •••• ${last4} Carrier settlements BF-1 Active` })
      .waitFor();
    await page.getByRole("row", { name: /Red Diesel .* Fuel deposits 20260101 Disabled/ }).waitFor();
    expect(await page.getByText(accountNumber).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Create a virtual account" }).count()).toBe(0);
    expect(await screenFaults(shown)).toEqual([]);

    const account = page.getByLabel("Ledger account");
    await account.fill("Fuel deposits");
    await account.press("Enter");
    await page.getByRole("link", { name: "Blue Freight" }).waitFor({ state: "hidden" });
    expect(await page.getByRole("link", { name: "Red Diesel" }).count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("ledgerAccountName")).toBe("Fuel deposits");
    await page.getByLabel("External id").fill("BF-1");
    await page.keyboard.press("Enter");
    await page.getByText("No virtual account matches these filters").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.goto(dashboard.url("/virtual-accounts?externalId=20260101"));
    await page.getByRole("link", { name: "Red Diesel" }).waitFor();
    expect(await page.getByRole("link", { name: "Blue Freight" }).count()).toBe(0);
    await page.goto(dashboard.url("/virtual-accounts?ledgerAccountName=Nobody"));
    await page.getByText("No virtual account matches these filters").waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("are found from their ledger account, and by the search", async () => {
    const { id } = await numberFor("Quarry Stone", { ledgerAccountName: "Fuel deposits" });
    const shown = await dashboard.as("vera", `/ledger/${other.accountId}`);
    const { page } = shown;
    await page.getByRole("main").getByRole("link", { name: "Virtual accounts" }).press("Enter");
    await page.waitForURL(/virtual-accounts\?ledgerAccountName=Fuel/);
    await page.getByRole("link", { name: "Quarry Stone" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.locator("[role=dialog] input:focus").waitFor();
    await page.keyboard.type("quarry st");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/virtual-accounts/${id}$`));
    await page.getByRole("heading", { name: "Quarry Stone" }).waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });
});

describe("a new virtual account", () => {
  it("says what is wrong at its field, is made once, and shows the number to give away", async () => {
    await numberFor("Taken", { externalId: "TAKEN" });
    const { body: counterparty } = await world.post<{ id: string }>("/v1/counterparties", {
      name: "Prairie Grain Co-op",
      type: "Business",
      accounts: [
        { rail: "Ach", accountNumber: "000123456789", routingNumber: "790001005", accountType: "Checking" },
      ],
    });
    const shown = await dashboard.as("maya", "/virtual-accounts?ledgerAccountName=Carrier+settlements");
    const { page } = shown;
    await page.getByRole("button", { name: "Create a virtual account" }).press("Enter");
    const sheet = page.getByRole("dialog");
    expect(await sheet.getByLabel("Ledger account").inputValue()).toBe("Carrier settlements");
    const submit = sheet.getByRole("button", { name: "Create the number" });
    await expect.poll(() => submit.isDisabled()).toBe(true);
    await sheet.getByLabel("Name").fill("Prairie Grain");
    await sheet.getByLabel("Given to").selectOption("Prairie Grain Co-op");
    await sheet.getByLabel("External id").fill("TAKEN");
    await sheet.getByLabel("Description").fill("Harvest\nof 2026");
    expect(await screenFaults(shown)).toEqual([]);
    await submit.click();
    await sheet.getByText("is in use in this book").first().waitFor();
    expect(await screenFaults(shown, [409])).toEqual([]);
    await sheet.getByLabel("External id").fill("PG-7");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await sheet.getByRole("button", { name: "Copy as curl" }).click();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(copied).toMatch(/^curl -s -X POST '.*\/v1\/virtual-accounts'/);
    expect(copied).toContain('"externalId":"PG-7"');
    const lost = await loseAnswers(page, "/v1/virtual-accounts", 1);
    await submit.click();
    await sheet.getByText("Quittance can't be reached").waitFor();
    expect(await lost()).toBe(1);
    await submit.click();
    await page.waitForURL(/virtual-accounts\/va_/);
    await page.getByRole("heading", { name: "Prairie Grain" }).waitFor();

    const { body } = await world.get<{ data: VirtualAccount[] }>("/v1/virtual-accounts?externalId=PG-7");
    expect(
      body.data.map(({ name, ledgerAccountId, counterpartyId, description, status }) => ({
        name,
        ledgerAccountId,
        counterpartyId,
        description,
        status,
      })),
    ).toEqual([
      {
        name: "Prairie Grain",
        ledgerAccountId: payer.accountId,
        counterpartyId: counterparty.id,
        description: "Harvest\nof 2026",
        status: "Active",
      },
    ]);
    const [made] = body.data;
    await page.getByText(made?.accountNumber ?? "none").waitFor();
    await page.getByRole("link", { name: "Prairie Grain Co-op" }).waitFor();
    await page.getByText("Nobody has paid in yet").waitFor();
    expect(await screenFaults(shown, [409])).toEqual([]);
    await shown.close();
  });

  it("is refused for an account that the book does not have, in words", async () => {
    const shown = await dashboard.as("maya", "/virtual-accounts");
    const { page } = shown;
    await page.getByRole("button", { name: "Create a virtual account" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByLabel("Name").fill("Lost");
    await sheet.getByLabel("Ledger account").fill("No such account");
    await page.keyboard.press("Enter");
    await sheet.getByRole("alert").waitFor();
    expect(await sheet.getByLabel("Ledger account").getAttribute("aria-invalid")).toBe("true");
    expect(await screenFaults(shown, [404, 422])).toEqual([]);
    await shown.close();
  });
});
