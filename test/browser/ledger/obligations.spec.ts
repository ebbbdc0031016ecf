/** What is owed, since when, and whether it is paid, in a browser. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { simulate } from "../../world/actions.ts";
import { line, Taxpayer } from "../../world/taxpayer.ts";
import { Dashboard } from "../dashboard.ts";
import { holdAnswer } from "../hold-answer.ts";
import { forbidden, missing, unavailable } from "../problems.ts";
import { screenFaults } from "../screen-faults.ts";
import { tryAgain } from "../try-again.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const taxpayer = new Taxpayer(world, await world.payerNamed("Operating"));
const payee = await taxpayer.payee();

/** One that is Fixed. */
const owed = (cents: number, to = payee) => taxpayer.owes(cents, to);

describe("obligations", () => {
  it("are listed with what is owed, paid and remaining, and filtered by status, type and reference", async () => {
    await taxpayer.records("Draft of a return");
    const settlement = await taxpayer.records("Settlement of May", { type: "Other" });
    await taxpayer.fixes(settlement.id);
    const paid = await owed(333_333);
    await world.comesToRest(await taxpayer.pays(paid.id));
    await taxpayer.becomes(paid.id, "Relieved");
    await taxpayer.amends(paid.id, [line("Diesel, Oregon", 350_000)]);
    const shown = await dashboard.as("vera", "/obligations");
    const { page } = shown;
    await page
      .getByRole("row", { name: /IFTA 2026-Q1 .*Fixed .*\$3,500\.00 \$3,333\.33 \$166\.67/ })
      .waitFor();
    await page.getByRole("row", { name: /Draft of a return .*Open .*– – \$125\.00 not booked/ }).waitFor();
    expect(await screenFaults(shown)).toEqual([]);

    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByRole("row", { name: /Settlement of May/ }).waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Fixed", exact: true }).click();
    await page.getByRole("row", { name: /Settlement of May/ }).waitFor();
    expect(new URL(page.url()).searchParams.get("status")).toBe('["Open","Fixed"]');
    await page.getByLabel("Type").selectOption("Other");
    await page.getByRole("row", { name: /Draft of a return/ }).waitFor({ state: "hidden" });
    await page.getByLabel("Reference, exactly").fill("No such reference");
    await page.keyboard.press("Enter");
    await page.getByText("No obligation matches these filters").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.reload();
    expect(await page.getByLabel("Reference, exactly").inputValue()).toBe("No such reference");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("link", { name: "Settlement of May" }).press("Enter");
    await page.waitForURL(`**/obligations/${settlement.id}`);
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("are found by the search by their reference, which opens their page", async () => {
    const { id } = await taxpayer.records("Quarterly heavy vehicle return");
    const shown = await dashboard.as("vera", "/approvals");
    const { page } = shown;
    await page.getByRole("heading", { name: "Approvals" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("textbox").fill("Quarterly heavy vehicle return");
    await page.getByRole("button", { name: "Fuel tax return Obligation · Quarterly heavy" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/obligations/${id}`);
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("are listed by pages, back and forth", async () => {
    await Promise.all(Array.from({ length: 52 }, () => taxpayer.records("One of many")));
    const shown = await dashboard.as("vera", "/obligations?reference=One of many");
    const { page } = shown;
    const rows = page.getByRole("row", { name: /One of many/ });
    await rows.nth(49).waitFor();
    expect(await rows.count()).toBe(50);
    const next = page.getByRole("button", { name: "Next" });
    const release = await holdAnswer(page, "/v1/obligations?*cursor=*");
    await next.click();
    await expect.poll(() => next.isDisabled()).toBe(true);
    release();
    await rows.nth(2).waitFor({ state: "detached" });
    expect(await rows.count()).toBe(2);
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Previous" }).click();
    await rows.nth(49).waitFor();
    await shown.close();
  });

  it.each([
    ["the list", "/obligations", "**/v1/obligations?*", "Remaining"],
    ["one", "", "**/v1/obligations/ob_*", "Nothing is booked."],
  ])(
    "as %s keep their layout while they load, say what failed, and try again",
    async (_, path, request, text) => {
      const { id } = await taxpayer.records("Slow to load");
      const shown = await dashboard.as("vera", "/orders");
      const { page } = shown;
      let answer = (): void => undefined;
      const isHeld = new Promise<void>((resolve) => (answer = resolve));
      await page.route(request, async (route) => {
        await isHeld;
        await route.fulfill(unavailable);
      });
      await shown.goto(dashboard.url(path === "" ? `/obligations/${id}` : path));
      await page.getByLabel("Loading").waitFor();
      expect(await screenFaults(shown)).toEqual([]);
      answer();
      await page.getByRole("button", { name: "Try again" }).waitFor();
      expect(await screenFaults(shown, [503])).toEqual([]);
      await page.unroute(request);
      await tryAgain(page, page.getByText(text).first());
      await shown.close();
    },
  );

  it("are no screen of somebody without the scope", async () => {
    const shown = await dashboard.as("vera", "/orders");
    await shown.page.route("**/v1/obligations?*", (route) => route.fulfill(forbidden));
    await shown.goto(dashboard.url("/obligations"));
    await shown.page.getByText("You may not see this").waitFor();
    expect(await screenFaults(shown, [403])).toEqual([]);
    await shown.close();
  });

  it("have one page for a wrong id and for an obligation of another book", async () => {
    const shown = await dashboard.as("vera", "/obligations/ob_01m80104nre2btytj23x2xz26p");
    await shown.page.getByText("There is no such page").waitFor();
    expect(await screenFaults(shown, [404])).toEqual([]);
    await shown.close();
  });

  it("offer nothing to who may only read, whatever they are named", async () => {
    const name = `<img onerror>${"W".repeat(80)}`;
    const { id } = await taxpayer.records(name, { lines: [line(name, 999_999_999_999)] });
    await taxpayer.fixes(id);
    const shown = await dashboard.as("vera", `/obligations/${id}`);
    const { page } = shown;
    await page.getByText("Owed.").waitFor();
    await page.getByText("It has no payee: set one to pay it.").waitFor();
    expect(await page.getByRole("button", { name: /Fix|Pay|payee/ }).count()).toBe(0);
    expect(await screenFaults(shown)).toEqual([]);
    await page.goto(dashboard.url("/obligations"));
    await page.getByRole("link", { name }).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });
});

describe("an obligation", () => {
  it("is fixed by the keyboard alone, and leads to its journal and back", async () => {
    const { id } = await taxpayer.records("Filed return");
    const shown = await dashboard.as("maya", `/obligations/${id}`);
    const { page } = shown;
    await page.getByText("Nothing is booked.").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Fix $125.00" }).press("Enter");
    await page.getByText("Fixed: $125.00 booked").waitFor();
    await page.getByText("by maya").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("link", { name: "Its journals" }).press("Enter");
    await page.waitForURL("**/ledger/la_*");
    await page
      .getByRole("row", { name: /Accrue/ })
      .getByRole("link")
      .press("Enter");
    await page.waitForURL(`**/obligations/${id}`);
    await shown.close();
  });

  it("is not fixed with a line that is no actual figure, and says so at that line", async () => {
    const lines = [line("Diesel, Oregon", 12_500), line("Diesel, Idaho", 7_000, "Demo")];
    const { id } = await taxpayer.records("Half a return", { lines });
    const shown = await dashboard.as("maya", `/obligations/${id}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Fix $195.00" }).click();
    await page
      .getByRole("row", { name: /Diesel, Idaho .*Demo data \$70\.00/ })
      .locator("xpath=following-sibling::tr[1]")
      .getByText('The line "Diesel, Idaho" is based on demo data')
      .waitFor();
    expect(await page.getByRole("alert").count()).toBe(1);
    expect(await screenFaults(shown, [422])).toEqual([]);
    expect((await taxpayer.reads(id)).status).toBe("Open");
    await shown.close();
  });

  it("is paid by one order, by the keyboard alone, and each leads to the other", async () => {
    const { id } = await owed(45_600);
    const shown = await dashboard.as("maya", `/obligations/${id}`);
    const { page } = shown;
    await page.getByText("Oregon DOT").waitFor();
    await page.getByRole("button", { name: "Pay $456.00…" }).press("Enter");
    const sheet = page.getByRole("dialog");
    await sheet.getByText("One order pays all that remains to Oregon DOT.").waitFor();
    await sheet.getByLabel("Rail").selectOption("Wire");
    const account = sheet.getByLabel("From your account");
    await account.fill("No such account");
    await account.press("Enter");
    await sheet.getByRole("alert").waitFor();
    expect(await screenFaults(shown, [404, 422])).toEqual([]);
    await account.fill("Operating");
    await sheet.getByRole("button", { name: "Pay $456.00" }).press("Enter");
    await page.getByText("Being paid.").waitFor();
    await page.getByText("Held for its payment: $456.00").waitFor();
    await page.getByText("It can be changed once the order that pays the obligation has ended.").waitFor();
    expect(await page.getByRole("button", { name: /^Pay/ }).count()).toBe(0);
    expect(await screenFaults(shown, [404, 422])).toEqual([]);
    await page.getByRole("link", { name: "Open the order" }).press("Enter");
    await page.waitForURL("**/orders/po_*");
    // Exactly: the name of the obligation's account, a link on the page before, has the id in it.
    await page.getByRole("link", { name: id, exact: true }).press("Enter");
    await page.waitForURL(`**/obligations/${id}`);
    await shown.close();
  });

  it("is relieved while it is looked at, and payable again to another payee once the bank returns it", async () => {
    const { id } = await owed(60_000);
    const shown = await dashboard.as("maya", `/obligations/${id}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Pay $600.00…" }).click();
    await page.getByLabel("From your account").fill("Operating");
    await page.getByRole("button", { name: "Pay $600.00", exact: true }).click();
    await page.getByText("All of it is paid.").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    const orderId = (await taxpayer.reads(id)).paymentOrderId ?? "";
    await simulate(world, orderId, "late-return", { code: "R03" });
    await page.getByText("The bank returned the money: R03.").waitFor();
    await page.getByText("Payment returned: $600.00").waitFor();

    const other = await taxpayer.payee("000555666777", false);
    await page.getByRole("button", { name: "Name another payee…" }).click();
    await page.getByLabel("Pay it to").selectOption(other);
    await page.getByRole("button", { name: "Set the payee" }).click();
    await page.getByText("The payee is not verified, so an order to it is refused.").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Pay $600.00…" }).isDisabled()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);
    await taxpayer.verifies(other);
    await page.reload();
    await page.getByRole("button", { name: "Pay $600.00…" }).click();
    await page.getByText("One order pays all that remains").waitFor();
    await shown.close();
  });

  it("is not paid to a payee that is not in the book, and says so", async () => {
    const { id } = await owed(1_100);
    const shown = await dashboard.as("maya", "/obligations");
    const { page } = shown;
    // Only an obligation that was recorded while orders was away names such a payee.
    await page.route(`**/v1/counterparties/${payee}`, (route) => route.fulfill(missing));
    await page.goto(dashboard.url(`/obligations/${id}`));
    await page.getByRole("alert").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Pay $11.00…" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Name another payee…" }).click();
    expect(await page.getByLabel("Pay it to").inputValue()).toBe(payee);
    expect(await screenFaults(shown, [404])).toEqual([]);
    await shown.close();
  });

  it("is not paid twice: the second payer reads that it has changed", async () => {
    const { id } = await owed(7_700);
    const shown = await dashboard.as("maya", `/obligations/${id}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Pay $77.00…" }).click();
    await page.getByLabel("From your account").fill("Operating");
    await page.route(`**/v1/obligations/${id}/remit`, async (route) => {
      await world.comesToRest(await taxpayer.pays(id));
      await taxpayer.becomes(id, "Relieved");
      await route.continue();
    });
    await page.getByRole("button", { name: "Pay $77.00", exact: true }).click();
    await page.getByText("All of it is paid.").waitFor();
    await page.getByRole("alert").getByText("It has changed since it was shown").waitFor();
    expect(await screenFaults(shown, [412])).toEqual([]);
    expect((await taxpayer.reads(id)).remittances.map(({ event }) => event)).toEqual(["Held", "Cleared"]);
    await shown.close();
  });

  it("is paid the amount that its button says, or not at all", async () => {
    const { id } = await owed(8_800);
    const shown = await dashboard.as("maya", `/obligations/${id}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Pay $88.00…" }).click();
    await page.getByLabel("From your account").fill("Operating");
    await page.route(`**/v1/obligations/${id}/remit`, async (route) => {
      await taxpayer.amends(id, [line("Diesel, Oregon", 880_000)]);
      await route.continue();
    });
    await page.getByRole("button", { name: "Pay $88.00", exact: true }).click();
    await page.getByRole("alert").getByText("It has changed since it was shown").waitFor();
    await page.getByRole("button", { name: "Pay $8,800.00", exact: true }).waitFor();
    expect(await screenFaults(shown, [412])).toEqual([]);
    expect(await taxpayer.reads(id)).toMatchObject({ status: "Fixed", remittances: [] });
    await shown.close();
  });
});
