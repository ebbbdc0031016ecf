/** The list of orders, as an operator reads it in a browser. */
import { describe, expect, it } from "vitest";
import type { Rail } from "../../contracts/rails/rails.ts";
import { forThisFile } from "../stack/for-this-file.ts";
import { Dashboard } from "./dashboard.ts";
import { screenFaults } from "./screen-faults.ts";

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
});
