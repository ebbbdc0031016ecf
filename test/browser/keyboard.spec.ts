/** The keys that the approvals answer to. Those that decide are in approvals.spec.ts, `/` is in search.spec.ts. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../stack/for-this-file.ts";
import { Dashboard } from "./dashboard.ts";
import { screenFaults } from "./screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;

describe("the keyboard", () => {
  it("shows its keys, moves down and up, selects and unselects, and opens an order", async () => {
    const payer = await world.payerNamed("Operating");
    const ids: string[] = [];
    for (const counterpartyName of ["Key One", "Key Two"]) {
      const body = payer.body(200_000, "Wire", { counterpartyName });
      const made = await world.post<{ id: string }>("/v1/payment-orders", body);
      await world.reaches(made.body.id, ({ awaiting }) => awaiting === "Approval");
      ids.push(made.body.id);
    }
    const shown = await dashboard.as("noor", `/approvals?order=${ids[0] ?? ""}`);
    const { page } = shown;
    await page.getByText("to Key One").waitFor();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard" });
    for (const key of ["/", "?", "J", "K", "X", "A", "D", "O"])
      await help.getByText(key, { exact: true }).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    // An open sheet takes the keys: nothing moves behind it.
    await page.keyboard.press("j");
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "hidden" });
    expect(await page.getByText("to Key One").isVisible()).toBe(true);

    await page.keyboard.press("j");
    await page.getByText("to Key Two").waitFor();
    await page.keyboard.press("k");
    await page.getByText("to Key One").waitFor();
    const box = page.getByLabel("Select the order to Key One");
    await page.keyboard.press("x");
    await box.and(page.locator(":checked")).waitFor();
    await page.keyboard.press("x");
    await box.and(page.locator(":not(:checked)")).waitFor();
    await page.keyboard.press("o");
    await page.waitForURL(`**/orders/${ids[0] ?? ""}`);
    expect(shown.faults).toEqual([]);
    await shown.close();
  });
});
