/** How somebody who tests makes things happen in a Test book, in a browser. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Carrier settlements");

describe("the simulator", () => {
  it("brings money in on a number of the book, by the keyboard alone", async () => {
    const shown = await dashboard.as("maya", "/simulator");
    const { page } = shown;
    await page.getByRole("row", { name: /^ACH/ }).getByText("open").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByLabel("To account number").fill("12345678");
    await page.getByLabel("Amount").fill("1,200.50");
    await page.getByLabel("From").fill("Blue Freight LLC");
    await page.getByRole("button", { name: "Send $1,200.50 in" }).press("Enter");
    const done = page.getByText("The bank has booked it under");
    await done.waitFor();
    const reference = /under (\S+)\./.exec(await done.innerText())?.[1] ?? "";
    const arrived = await until("the inbound payment", async () => {
      const path = `/v1/inbound-payments?bankReference=${encodeURIComponent(reference)}`;
      const { body } = await world.get<{ data: { amountCents: number; status: string }[] }>(path);
      return body.data[0];
    });
    expect([arrived.amountCents, arrived.status]).toEqual([120_050, "Suspended"]);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("takes a rail out and brings it back, and shows in its log who did it", async () => {
    const shown = await dashboard.as("maya", "/simulator");
    const { page } = shown;
    await page.getByRole("button", { name: "Start outage of Wire" }).click();
    await page.getByRole("row", { name: /^Wire/ }).getByText("Out", { exact: true }).waitFor();
    await page.getByRole("button", { name: "End outage of Wire" }).click();
    await page.getByRole("row", { name: /^Wire/ }).getByText("Open", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Log" }).click();
    await page
      .getByRole("row", { name: /Rule ended/ })
      .getByText("maya")
      .waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("makes a rule that returns the payments of a reference, which the rail then does", async () => {
    const shown = await dashboard.as("maya", "/simulator/rules");
    const { page } = shown;
    await page.getByRole("button", { name: "New rule" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByLabel("To which payments").selectOption("those of a reference");
    await sheet.getByLabel("Reference", { exact: true }).fill("INV-1");
    await sheet.getByLabel("Code").fill("R99");
    await sheet.getByLabel("How often").fill("1");
    await sheet.getByRole("button", { name: "Make the rule" }).click();
    await sheet.locator("[aria-invalid]").or(sheet.getByRole("alert")).first().waitFor();
    expect(await screenFaults(shown, [400, 422])).toEqual([]);
    await sheet.getByLabel("Code").fill("R03");
    await sheet.getByRole("button", { name: "Make the rule" }).press("Enter");
    await sheet.waitFor({ state: "hidden" });
    const row = page.getByRole("row", { name: /Return R03/ });
    await row.getByText("of reference INV-1").waitFor();
    const { body } = await world.post<{ id: string }>(
      "/v1/payment-orders",
      payer.body(10_000, "Ach", { externalId: "INV-1" }),
    );
    expect((await world.comesToRest(body.id)).return?.code).toBe("R03");
    await row.getByText("Used up").waitFor();
    expect(await row.getByText("1 of 1").isVisible()).toBe(true);
    expect(await screenFaults(shown, [400, 422])).toEqual([]);
    await shown.close();
  });

  it("puts an error on the bank's next statement, and corrects it", async () => {
    const shown = await dashboard.as("maya", "/simulator/statement-errors");
    const { page } = shown;
    await page.getByText("No errors yet").waitFor();
    await page.getByLabel("Error").selectOption("A line is added");
    await page.getByLabel("Amount").fill("77.00");
    await page.getByRole("button", { name: "Put it on the statement" }).press("Enter");
    const row = page.getByRole("row", { name: /A line is added/ });
    await row.getByText("Waiting").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await row.getByRole("button", { name: "Correct it" }).click();
    await row.getByText("Corrected").waitFor();
    await shown.close();
  });

  it("copies each action as a curl command without anybody's key", async () => {
    const shown = await dashboard.as("maya", "/simulator");
    const { page } = shown;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("row", { name: /^RTP/ }).getByRole("button", { name: "curl" }).click();
    await page.getByText("Copied").waitFor();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(copied.split(" \\\n  ").slice(1)).toEqual([
      `-H "X-API-Key: $QUITTANCE_API_KEY"`,
      "-H 'Content-Type: application/json'",
      `-d '{"match":{"rail":"Rtp"},"fault":"Outage"}'`,
    ]);
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("is absent for who may not simulate, and refused at its address", async () => {
    const shown = await dashboard.as("vera", "/orders");
    const { page } = shown;
    await page.getByRole("link", { name: "Webhooks" }).waitFor();
    expect(await page.getByRole("link", { name: /imulator/ }).count()).toBe(0);
    await page.goto(dashboard.url("/simulator/rules"));
    await page.getByText("You may not see this").waitFor();
    expect(await screenFaults(shown, [403])).toEqual([]);
    await shown.close();
  });
});

describe("the clock of a book", () => {
  it("is made to stand still, and advanced to the next banking day", async () => {
    const shown = await dashboard.as("maya", "/simulator");
    const { page } = shown;
    await page.getByLabel("Clock").selectOption("Manual");
    await page.getByRole("button", { name: "Switch to Manual" }).click();
    await page.getByLabel("Advance to").selectOption("the next banking day");
    const { body: before } = await world.get<{ now: string }>("/v1/simulations/clock");
    await page.getByRole("button", { name: "Advance", exact: true }).press("Enter");
    await page.getByText(/^Arrived, after \d+ stops\.$/).waitFor();
    const { body: after } = await world.get<{ now: string }>("/v1/simulations/clock");
    expect(Date.parse(after.now)).toBeGreaterThan(Date.parse(before.now));
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByLabel("Advance to").selectOption("a time");
    // A year with one digit too many can be typed.
    await page.getByLabel("Time", { exact: true }).fill("20266-11-28T10:00");
    await expect
      .poll(() => page.getByRole("button", { name: "Advance", exact: true }).isDisabled())
      .toBe(true);
    expect(shown.faults).toEqual([]);
    await shown.close();
  });
});
