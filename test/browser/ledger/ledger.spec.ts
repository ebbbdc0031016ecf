/** Accounts, and one account's story, in a browser. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;

describe("the ledger", () => {
  it("shows each account with what is posted, held and coming in, and what is available", async () => {
    const payer = await world.payerNamed("Carrier settlements");
    const collected = await payer.collects(735_000);
    await world.comesToRest(collected.id);
    const wire = await world.post<{ id: string }>("/v1/payment-orders", payer.body(200_000, "Wire"));
    await world.reaches(wire.body.id, ({ awaiting }) => awaiting === "Approval");
    const shown = await dashboard.as("vera", "/ledger");
    const { page } = shown;
    await page
      .getByRole("row", { name: "Carrier settlements $7,350.00 $2,000.00 $0.00 $5,350.00" })
      .waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await Promise.all([
      page.waitForRequest((request) => request.url().endsWith(`/v1/ledger-accounts/${payer.accountId}`)),
      page.getByRole("link", { name: "Carrier settlements" }).hover(),
    ]);
    await page.getByLabel("Name, exactly").fill("Nobody has this");
    await page.keyboard.press("Enter");
    await page.getByText("No such account").waitFor();
    expect(new URL(page.url()).searchParams.get("name")).toBe("Nobody has this");
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Whose accounts").selectOption("System");
    await page.getByText("Settlement").first().waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });
});

describe("the page of an account", () => {
  it("says what each journal did, with the balances after it, and leads to its order", async () => {
    const payer = await world.payerNamed("Fuel");
    const { id } = await payer.collects(50_000);
    await world.comesToRest(id);
    const shown = await dashboard.as("vera", `/ledger/${payer.accountId}`);
    const { page } = shown;
    await page.getByRole("row", { name: /Settle .*\+\$500\.00 \$500\.00 \$500\.00/ }).waitFor();
    await page.getByText("+$500.00 coming in").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByText("As a table").click();
    await page.getByRole("table", { name: "The balances at the end of each interval" }).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Hour" }).click();
    await page.waitForURL(/range=hour/);
    await page
      .getByRole("row", { name: /Settle/ })
      .getByRole("link")
      .click();
    await page.waitForURL(new RegExp(id));
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("shows the balances as they were recorded at a time", async () => {
    const payer = await world.payerNamed("Earlier");
    const before = new Date().toISOString();
    const { id } = await payer.collects(12_300);
    await world.comesToRest(id);
    const shown = await dashboard.as("vera", `/ledger/${payer.accountId}?asOf=${before}`);
    const { page } = shown;
    const available = page.locator(".balances .total");
    await page.getByText("Balances as they were recorded at").waitFor();
    await available.getByText("$0.00").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Back to now" }).click();
    await available.getByText("$123.00").waitFor();

    await page.getByLabel("Balances as of").fill("2026-01-01T00:00:00.000");
    await page.getByRole("button", { name: "Show" }).press("Enter");
    await page.locator(".fault").waitFor();
    expect(await available.count()).toBe(0);
    expect(await screenFaults(shown, [404])).toEqual([]);
    await shown.close();
  });

  it("names the zone of the time, and shows no balance for a time that can't be read", async () => {
    const payer = await world.payerNamed("Unreadable");
    const shown = await dashboard.as("vera", `/ledger/${payer.accountId}`);
    const { page } = shown;
    const available = page.locator(".balances .total");
    await available.getByText("$0.00").waitFor();
    const zone = String(await page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone"));
    const field = page.getByLabel(`Balances as of (${zone})`);
    const isRefused = async () => {
      await page.getByText("This is not a date and time. Fill in every part of both.").waitFor();
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      expect(await available.count()).toBe(0);
    };
    // A month without a day is half a date.
    await field.focus();
    await page.keyboard.type("12");
    await page.getByRole("button", { name: "Show" }).click();
    await isRefused();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Back to now" }).click();
    await available.getByText("$0.00").waitFor();
    await page.goto(dashboard.url(`/ledger/${payer.accountId}?asOf=yesterday`));
    await isRefused();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("is one page for a wrong id and for an account of another book", async () => {
    const shown = await dashboard.as("vera", "/ledger/la_01m80104nre2btytj23x2xz26p");
    await shown.page.getByText("There is no such page").waitFor();
    expect(await screenFaults(shown, [404])).toEqual([]);
    await shown.close();
  });

  it("shows the largest amounts whole", async () => {
    const payer = await world.payerNamed("W".repeat(100));
    const wire = await world.post<{ id: string }>("/v1/payment-orders", payer.body(999_999_999_999, "Wire"));
    await world.reaches(wire.body.id, ({ awaiting }) => awaiting === "Approval");
    const shown = await dashboard.as("vera", `/ledger/${payer.accountId}`);
    await shown.page.getByText("−$9,999,999,999.99").first().waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });
});
