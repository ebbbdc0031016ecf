/** The page of one order, as somebody who tests a return sees it in a browser. */
import { describe, expect, it } from "vitest";
import type { PaymentOrderTimeline } from "../../../contracts/http/payments/payment-order-timeline.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";
import { tryAgain } from "../try-again.ts";

const dashboard = await forThisFile(Dashboard.open());

describe("the page of an order", () => {
  it("says what it has become and why, and sends it again with R01 at one click", async () => {
    const { world } = dashboard;
    const payer = await world.payerNamed("Carrier settlements");
    const { id } = await payer.collects(735_000);
    await world.comesToRest(id);
    const shown = await dashboard.as("maya", `/orders/${id}`);
    const { page } = shown;
    await page.getByText("The money has moved, and the ledger has posted it.").waitFor();
    expect(await page.getByText("Collects by ACH into Carrier settlements").isVisible()).toBe(true);
    await page.getByRole("cell", { name: "$7,350.00" }).first().waitFor();

    await page.getByRole("button", { name: "Send again, return with R01", exact: true }).click();
    await page.getByText("The other bank returned it: insufficient funds.").waitFor();
    await page.getByText("Returned R01").first().waitFor();
    expect(page.url()).not.toContain(id);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("tells what every service did as one trace, and leads to the deliveries", async () => {
    const { world } = dashboard;
    const payer = await world.payerNamed("Traced");
    const { id } = await payer.pays(4_000, { rail: "Ach", to: "100003" });
    await world.comesToRest(id);
    await world.receivesEvent(id, "Returned");
    const shown = await dashboard.as("maya", `/orders/${id}`);
    const { page } = shown;
    const trace = page.getByRole("list").filter({ hasText: "Handed to its rail" });
    await trace.getByText("Returned R03").waitFor();
    for (const text of [/^Hold placed, journal #\d+$/, /^Hold released, journal #\d+$/])
      await trace.getByText(text).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    const line = trace.getByRole("listitem").filter({ hasText: "payment_order.returned to" });
    await line.getByRole("link").first().click();
    await page.waitForURL(/\/webhooks\/wh_/);
    await shown.close();
  });

  it("names a service that is away, and still tells the rest", async () => {
    const payer = await dashboard.world.payerNamed("Away");
    const { id } = await payer.collects(1_000);
    await dashboard.world.comesToRest(id);
    const shown = await dashboard.as("maya", `/orders/${id}`);
    const { page } = shown;
    const { body } = await dashboard.world.get<PaymentOrderTimeline>(`/v1/payment-orders/${id}/timeline`);
    const data = body.data.filter(({ source }) => source !== "Rails");
    await page.route("**/timeline", (route) =>
      route.fulfill({ json: { ...body, data, unavailable: ["Rails"] } }),
    );
    await page.reload();
    await page.getByText("No answer from the rail.").waitFor();
    expect(await page.getByText(/^Hold placed, journal/).isVisible()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("says when the trace is not to be had, and reads it again when asked", async () => {
    const payer = await dashboard.world.payerNamed("Untold");
    const { id } = await payer.collects(1_000);
    const shown = await dashboard.as("maya", `/orders/${id}`);
    const { page } = shown;
    await page.route("**/timeline", (route) => route.fulfill({ status: 500, json: { title: "Broken" } }));
    await page.reload();
    await page.getByRole("button", { name: "Try again" }).waitFor();
    expect(await screenFaults(shown, [500])).toEqual([]);
    await page.unroute("**/timeline");
    await tryAgain(page, page.getByText(/^Hold placed, journal/));
    await shown.close();
  });

  it("says that it came back after its completion, and offers no second return", async () => {
    const payer = await dashboard.world.payerNamed("Came Back");
    const { id } = await payer.collects(1_000);
    const shown = await dashboard.as("maya", `/orders/${id}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Late return with R01", exact: true }).click();
    await page.getByText("Completed, then returned by the other bank: insufficient funds.").waitFor();
    await page.getByText("Completed, returned R01").waitFor();
    expect(await page.getByRole("button", { name: /^Late return/ }).count()).toBe(0);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("is returned by the keyboard alone, with a code that the rail and direction allow", async () => {
    const payer = await dashboard.world.payerNamed("Codes");
    const { id } = await payer.collects(1_000, { submit: false });
    const shown = await dashboard.as("maya", `/orders/${id}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Return with R01: Another code" }).press("Enter");
    await page.getByRole("menuitem", { name: "R10 Not authorized" }).press("Enter");
    await page.getByText("The rail will do it at the hand-off.").waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("is one page for a wrong id and for an order of another book", async () => {
    const shown = await dashboard.as("maya", "/orders/po_01m80104nre2btytj23x2xz26p");
    await shown.page.getByText("There is no such page").waitFor();
    expect(await screenFaults(shown, [404])).toEqual([]);
    await shown.close();
  });
});
