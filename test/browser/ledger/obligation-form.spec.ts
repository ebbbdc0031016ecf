/** The forms in which an obligation is recorded, edited and amended, in a browser. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { line, Taxpayer } from "../../world/taxpayer.ts";
import { Dashboard } from "../dashboard.ts";
import { loseAnswers } from "../lose-answers.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const taxpayer = new Taxpayer(world, await world.payerNamed("Operating"));
const payee = await taxpayer.payee();

describe("the form of an obligation", () => {
  it("records one by the keyboard alone, and once where the answer gets lost", async () => {
    const shown = await dashboard.as("maya", "/obligations");
    const { page } = shown;
    await page.getByRole("link", { name: "New obligation" }).press("Enter");
    await page.getByText("It needs a reference.").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    const countLost = await loseAnswers(page, "/v1/obligations", 1);
    await page.getByLabel("Reference").focus();
    await page.keyboard.type("Typed return");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("US-ID");
    await page.getByLabel("What is owed").focus();
    await page.keyboard.type("Diesel, Idaho");
    await page.keyboard.press("Tab");
    await page.keyboard.type("1,250.5");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Trip sheets");
    await page.getByRole("button", { name: "Add a line" }).press("Enter");
    // The focus moves to the new line.
    await page.getByLabel("What is owed").nth(1).and(page.locator(":focus")).waitFor();
    await page.keyboard.type("Propane, Idaho");
    await page.getByRole("button", { name: "Remove line 2" }).press("Enter");
    await page.locator("button:focus", { hasText: "Add a line" }).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    const submit = page.getByRole("button", { name: "Record $1,250.50" });
    await submit.press("Enter");
    await page.getByText("Quittance can't be reached").waitFor();
    await submit.press("Enter");
    await page.waitForURL("**/obligations/ob_*");
    await page.getByText("Nothing is booked.").waitFor();
    expect(await countLost()).toBe(1);
    const { body } = await world.get<{ data: unknown[] }>("/v1/obligations?reference=Typed return");
    expect(body.data).toMatchObject([
      {
        type: "FuelTaxReturn",
        status: "Open",
        jurisdiction: "US-ID",
        period: null,
        payeeCounterpartyId: null,
        createdBy: "maya",
        lines: [
          {
            description: "Diesel, Idaho",
            amountCents: 125_050,
            basis: { kind: "Actual", source: "Trip sheets" },
          },
        ],
      },
    ]);
    await shown.close();
  });

  it("shows at a field what the API refuses", async () => {
    const shown = await dashboard.as("maya", "/obligations/new");
    const { page } = shown;
    await page.getByLabel("Reference").fill("Too much");
    await page.getByLabel("What is owed").fill("Diesel");
    await page.getByLabel("US dollars").fill("99,999,999,999");
    await page.getByLabel("Source of the figure").fill("Trip sheets");
    await page.getByRole("button", { name: "Record $99,999,999,999.00" }).click();
    await page.locator(".fault").waitFor();
    expect(await page.getByLabel("US dollars").getAttribute("aria-invalid")).toBe("true");
    expect(await screenFaults(shown, [400])).toEqual([]);
    await shown.close();
  });

  it("completes what could not be fixed, which then can be", async () => {
    const lines = [line("Diesel, Oregon", 12_500), line("Diesel, Idaho", 7_000, "Missing")];
    const { id } = await taxpayer.records("Incomplete return", { lines });
    const shown = await dashboard.as("maya", `/obligations/${id}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Fix $195.00" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByRole("link", { name: "Edit" }).click();
    const second = page.getByRole("group", { name: "Line 2" });
    await second.getByLabel("Basis").selectOption("Actual");
    await second.getByLabel("US dollars").fill("71.25");
    await page.getByLabel("Pay it to").selectOption(payee);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Fix $196.25" }).click();
    await page.getByText("It is booked as a liability").waitFor();
    expect(await taxpayer.reads(id)).toMatchObject({
      status: "Fixed",
      outstandingCents: 19_625,
      payeeCounterpartyId: payee,
      reference: "Incomplete return",
    });
    expect(await screenFaults(shown, [422])).toEqual([]);
    await shown.close();
  });

  it("amends one that is paid, never below that, and keeps the lines of before", async () => {
    const { id } = await taxpayer.owes(10_000, payee);
    await world.comesToRest(await taxpayer.pays(id));
    await taxpayer.becomes(id, "Relieved");
    const shown = await dashboard.as("maya", `/obligations/${id}`);
    const { page } = shown;
    await page.getByRole("link", { name: "Amend" }).click();
    const amount = page.getByLabel("US dollars");
    await amount.fill("99.99");
    await page.getByText("$100.00 is paid already, so the total can't be lower.").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Amend to $99.99" }).isDisabled()).toBe(true);
    await amount.fill("120");
    await page.getByText("+$20.00").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Amend to $120.00" }).click();
    await page.getByText("Amended: $20.00 more booked").waitFor();
    await page.getByText("The lines at that time").click();
    await page.getByText("$100.00", { exact: true }).last().waitFor();
    await page.getByRole("button", { name: "Pay $20.00…" }).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("is refused before the click while an order is paying, and by the API where that came in between", async () => {
    const { id } = await taxpayer.owes(8_800, payee);
    const shown = await dashboard.as("maya", `/obligations/${id}/edit`);
    const { page } = shown;
    await page.getByLabel("US dollars").fill("90");
    await page.route(`**/v1/obligations/${id}/amend`, async (route) => {
      await taxpayer.pays(id, "Wire");
      await until("the hold of its payment", async () => (await taxpayer.reads(id)).remittances[0]);
      await route.continue();
    });
    await page.getByRole("button", { name: "Amend to $90.00" }).click();
    await page.getByRole("alert").getByText("It has changed since it was shown").waitFor();
    expect(await page.getByLabel("US dollars").inputValue()).toBe("90");
    expect(await screenFaults(shown, [412])).toEqual([]);
    await page.reload();
    await page.getByText("An order is paying it, and that order's amount can't change.").waitFor();
    expect(await screenFaults(shown, [412])).toEqual([]);
    await shown.close();
  });

  it("sends nothing while the page does not follow its book", async () => {
    const { id } = await taxpayer.records("Not followed");
    const shown = await dashboard.as("maya", "/orders");
    const { page } = shown;
    await page.route("**/v1/stream", (route) => route.abort());
    await shown.goto(dashboard.url(`/obligations/${id}`));
    await page.getByText("What you see is as it was at").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Fix $125.00" }).isDisabled()).toBe(true);
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByLabel("US dollars").fill("126");
    await expect.poll(() => page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.unroute("**/v1/stream");
    await page.getByText("What you see is as it was at").waitFor({ state: "hidden" });
    expect(await page.getByRole("button", { name: "Save" }).isEnabled()).toBe(true);
    await shown.close();
  });

  it("is not offered to who may only read", async () => {
    const { id } = await taxpayer.records("Read only");
    const shown = await dashboard.as("vera", `/obligations/${id}/edit`);
    await shown.page.getByText("To change it you need the scope ledger:write").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.page.getByRole("banner").getByRole("link", { name: "Obligations" }).click();
    await shown.page.getByRole("link", { name: "Read only" }).waitFor();
    expect(await shown.page.getByRole("link", { name: "New obligation" }).count()).toBe(0);
    await shown.close();
  });
});
