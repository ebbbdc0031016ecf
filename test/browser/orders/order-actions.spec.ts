/** What a maker does to an order from its page. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { loseAnswers } from "../lose-answers.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Operating");

/** Lets somebody else submit the draft while the page's request is on its way. */
async function submitBefore(page: Page, action: string, id: string): Promise<void> {
  await page.route(`**/${id}/${action}`, async (route) => {
    await world.post(`/v1/payment-orders/${id}/submit`, {});
    await world.comesToRest(id);
    await route.continue();
  });
}

describe("an order that its rail does not have yet", () => {
  it("is cancelled by the keyboard alone, after a question, with a reason", async () => {
    const { id } = await payer.pays(1_200_000);
    await world.reaches(id, ({ awaiting }) => awaiting === "Approval");
    const shown = await dashboard.as("maya", `/orders/${id}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Cancel the order…" }).press("Enter");
    await page.getByRole("dialog", { name: "Cancel the payment of $12,000.00 to Ada Example?" }).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.keyboard.type("Paid by card instead");
    await page.getByRole("button", { name: "Cancel the order", exact: true }).press("Enter");
    await page.getByText("Cancelled. Paid by card instead").waitFor();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.locator(":focus", { hasText: "Cancelled." }).waitFor();
    expect(await page.getByRole("button", { name: "Cancel the order…" }).count()).toBe(0);
    expect(await screenFaults(shown)).toEqual([]);
    expect(await world.order(id)).toMatchObject({
      status: "Cancelled",
      cancelReason: "Paid by card instead",
    });
    await shown.close();
  });

  it("stays as it is when the person thinks better of it", async () => {
    const { id } = await payer.pays(2_000, { submit: false });
    const shown = await dashboard.as("maya", `/orders/${id}`);
    const { page } = shown;
    const open = page.getByRole("button", { name: "Cancel the order…" });
    await open.press("Enter");
    await page.getByRole("button", { name: "Keep the order" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await open.and(page.locator(":focus")).waitFor();
    expect((await world.order(id)).status).toBe("Draft");
    await shown.close();
  });

  it("is not cancelled if it has moved on in the meantime, and the page says what it has become", async () => {
    const { id } = await payer.pays(2_100, { submit: false });
    const shown = await dashboard.as("maya", `/orders/${id}`);
    const { page } = shown;
    await submitBefore(page, "cancel", id);
    await page.getByRole("button", { name: "Cancel the order…" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Cancel the order" }).click();
    await sheet.getByText("This order is Completed.").waitFor();
    await sheet.getByText("It is completed now.").waitFor();
    await expect.poll(() => sheet.getByRole("button", { name: "Cancel the order" }).isDisabled()).toBe(true);
    expect(await screenFaults(shown, [409])).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByText("The money has moved, and the ledger has posted it.").waitFor();
    await shown.close();
  });
});

describe("a draft", () => {
  it("is submitted from its page", async () => {
    const { id } = await payer.pays(2_200, { submit: false });
    const shown = await dashboard.as("maya", `/orders/${id}`);
    const { page } = shown;
    await page.getByText("Nobody has submitted it; nothing is held.").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Submit $22.00" }).press("Enter");
    await page.getByText("The money has moved, and the ledger has posted it.").waitFor();
    expect(await page.getByRole("button", { name: "Submit $22.00" }).count()).toBe(0);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("that somebody else has submitted in the meantime says so, and what it has become", async () => {
    const { id } = await payer.pays(2_300, { submit: false });
    const shown = await dashboard.as("maya", `/orders/${id}`);
    const { page } = shown;
    await submitBefore(page, "submit", id);
    await page.getByRole("button", { name: "Submit $23.00" }).click();
    await page.getByText("It is completed now.").waitFor();
    expect(await page.getByRole("button", { name: "Submit $23.00" }).count()).toBe(0);
    expect(await screenFaults(shown, [409])).toEqual([]);
    await shown.close();
  });

  it("whose first answer got lost is not submitted twice, and its page says what it has become", async () => {
    const { id } = await payer.pays(2_400, { submit: false });
    const shown = await dashboard.as("maya", `/orders/${id}`);
    const { page } = shown;
    await loseAnswers(page, `/v1/payment-orders/${id}/submit`, 1);
    await page.getByRole("button", { name: "Submit $24.00" }).click();
    await page.getByText("Quittance can't be reached").waitFor();
    await page.getByText("The money has moved, and the ledger has posted it.").waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("offers no action to a viewer", async () => {
    const { id } = await payer.pays(2_500, { submit: false });
    const shown = await dashboard.as("vera", `/orders/${id}`);
    const { page } = shown;
    await page.getByText("Nobody has submitted it; nothing is held.").waitFor();
    await page.getByText("Vera Sato").waitFor();
    for (const name of [/^Submit/, /^Cancel the order/])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    expect(shown.faults).toEqual([]);
    await shown.close();
  });
});
