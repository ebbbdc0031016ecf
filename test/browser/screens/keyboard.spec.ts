/** The keys that the approvals answer to. Those that decide are in approvals.spec.ts, `/` is in search.spec.ts. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Operating");

/** Two orders that wait for approval. */
async function twoOrders(one: string, other: string): Promise<string[]> {
  const ids: string[] = [];
  for (const counterpartyName of [one, other]) {
    const body = payer.body(200_000, "Wire", { counterpartyName });
    const made = await world.post<{ id: string }>("/v1/payment-orders", body);
    await world.reaches(made.body.id, ({ awaiting }) => awaiting === "Approval");
    ids.push(made.body.id);
  }
  return ids;
}

describe("the keyboard", () => {
  it("shows its keys, moves down and up, selects and unselects, and opens an order", async () => {
    const ids = await twoOrders("Key One", "Key Two");
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

  it("does the same after a click on a tick box", async () => {
    const [first = ""] = await twoOrders("Box One", "Box Two");
    const shown = await dashboard.as("noor", `/approvals?order=${first}`);
    const { page } = shown;
    await page.getByText("to Box One").waitFor();
    const box = page.getByLabel("Select the order to Box One");
    await box.click();
    await box.and(page.locator(":checked:focus")).waitFor();
    await page.keyboard.press("j");
    await page.getByText("to Box Two").waitFor();
    expect(await box.isChecked()).toBe(true);
    await shown.close();
  });

  it("has a switch for its single keys, which the menu of the person opens too", async () => {
    const [first = ""] = await twoOrders("Off One", "Off Two");
    const shown = await dashboard.as("noor", `/approvals?order=${first}`);
    const { page } = shown;
    const shownOrder = page.getByText("to Off One");
    const single = page.getByLabel("Use single keys");
    await shownOrder.waitFor();
    await page.keyboard.press("?");
    await single.uncheck();
    expect(await screenFaults(shown)).toEqual([]);
    await page.reload();
    await shownOrder.waitFor();
    expect(await page.locator("kbd:visible").allInnerTexts()).toEqual(["Ctrl K"]);
    for (const key of ["?", "j", "/", "d"]) await page.keyboard.press(key);
    // It opens after what the keys before it would have done.
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Find an order" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(1);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect(await shownOrder.isVisible()).toBe(true);

    await page.getByRole("button", { name: /Noor Rahman/ }).click();
    await page.getByRole("menuitem", { name: "Keyboard…" }).click();
    await single.check();
    await page.getByRole("button", { name: "Close" }).click();
    await single.waitFor({ state: "hidden" });
    await page.keyboard.press("j");
    await page.getByText("to Off Two").waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });
});
