/** The search over a book, in a browser. */
import { describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;

/** Holds the answers to a search for the text until the returned function is called. */
async function holdAnswer(page: Page, text: string): Promise<() => void> {
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const isAsked = ({ pathname, searchParams }: URL) =>
    pathname === "/v1/search" && searchParams.get("q") === text;
  await page.route(isAsked, async (route) => {
    await answered;
    await route.continue();
  });
  return answer;
}

describe("the search", () => {
  it("finds by the keyboard alone, and opens what is chosen", async () => {
    const payer = await world.payerNamed("Harbor Logistics");
    await world.payerNamed("Harbor Fees");
    const { id } = await payer.collects(43_210, { submit: false });
    const shown = await dashboard.as("vera", "/approvals");
    const { page } = shown;
    await page.getByRole("heading", { name: "Approvals" }).waitFor();
    const field = page.locator("[role=dialog] input:focus");
    await page.keyboard.press("/");
    await field.waitFor();
    await page.keyboard.type("harbor");
    await page.getByRole("button", { name: "Harbor Logistics" }).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/ledger/${payer.accountId}$`));
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await page.keyboard.press("Control+k");
    await field.waitFor();
    await page.keyboard.type("432.10");
    // Before the answer has come.
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/orders/${id}$`));
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await page.keyboard.press("Control+k");
    await field.waitFor();
    await page.keyboard.type("nothing has this name");
    await page.getByText("Nothing found.").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("shows what an older text has found while it looks, and never opens it", async () => {
    await world.payerNamed("Quarry Operations");
    const older = await world.payerNamed("Quarry Stone");
    const { accountId } = await world.payerNamed("Quartz Mills");
    const shown = await dashboard.as("vera", "/approvals");
    const { page } = shown;
    await page.getByRole("heading", { name: "Approvals" }).waitFor();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("dialog").getByRole("textbox");
    await field.fill("quar");
    const hit = page.getByRole("button", { name: "Quarry Stone" });
    await hit.waitFor();
    expect(await hit.isEnabled()).toBe(true);

    const answer = await holdAnswer(page, "quart");
    await field.press("t");
    await page.getByText("Looking…").waitFor();
    expect(await hit.isVisible()).toBe(true);
    await expect.poll(() => hit.isDisabled()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);
    await field.press("ArrowDown");
    await field.press("Enter");
    answer();
    await page.waitForURL(new RegExp(`/ledger/${accountId}$`));
    expect(page.url()).not.toContain(older.accountId);
    await shown.close();
  });

  it("opens nothing once the text has changed or the search is closed", async () => {
    await world.payerNamed("Sable Rock");
    const shown = await dashboard.as("vera", "/approvals");
    const { page } = shown;
    await page.getByRole("heading", { name: "Approvals" }).waitFor();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("dialog").getByRole("textbox");
    const late = await holdAnswer(page, "sable");
    await field.fill("sable");
    await field.press("Enter");
    await field.press("x");
    late();
    await page.getByText("Nothing found.").waitFor();

    const later = await holdAnswer(page, "sable r");
    await field.fill("sable r");
    await field.press("Enter");
    await field.press("Escape");
    later();
    await page.keyboard.press("Control+k");
    await field.fill("nothing has this name");
    await page.getByText("Nothing found.").waitFor();
    expect(page.url()).toContain("/approvals");
    await shown.close();
  });

  it("is made again while a service did not answer", async () => {
    await world.payerNamed("Grey Heron");
    const shown = await dashboard.as("vera", "/approvals");
    const { page } = shown;
    await page.getByRole("heading", { name: "Approvals" }).waitFor();
    const searches = "**/v1/search?*";
    const answer = { amountCents: null, data: [], leftOut: [], unavailable: ["LedgerAccount"] };
    await page.route(searches, (route) => route.fulfill({ json: answer }));
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("textbox").fill("grey heron");
    await page.getByText("These could not be searched: Account.").waitFor();
    await page.unroute(searches);
    await page.getByRole("button", { name: /Grey Heron/ }).waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("tells two payments to one typed-in payee apart, and opens a counterparty's page", async () => {
    const payer = await world.payerNamed("Telling apart");
    const made = async (counterpartyAccountNumber: string) => {
      const more = { counterpartyName: "Twin Rivers", counterpartyAccountNumber, submit: false };
      return (await world.post<{ id: string }>("/v1/payment-orders", payer.body(500, "Wire", more))).body.id;
    };
    const older = await made("000123450001");
    await made("000123450002");
    const { body: counterparty } = await world.post<{ id: string }>("/v1/counterparties", {
      name: "Twin Rivers Ltd",
      type: "Business",
      accounts: [{ rail: "Ach", accountNumber: "000123450003", routingNumber: "790001005" }],
    });
    const shown = await dashboard.as("vera", "/approvals");
    const { page } = shown;
    await page.getByRole("heading", { name: "Approvals" }).waitFor();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("dialog").getByRole("textbox");
    await field.fill("twin");
    await page
      .getByRole("button", { name: /Payment order · \$5\.00 · Wire · •••• 0002 · Draft · / })
      .waitFor();
    const hit = page.getByRole("button", { name: /Payment order · \$5\.00 · Wire · •••• 0001 · Draft · / });
    expect(await screenFaults(shown)).toEqual([]);
    await hit.click();
    await page.waitForURL(new RegExp(`/orders/${older}$`));
    await page.keyboard.press("Control+k");
    await field.fill("twin rivers l");
    await page.getByRole("button", { name: /Counterparty · ACH · •••• 0003 · Unverified · / }).click();
    await page.waitForURL(new RegExp(`/counterparties/${counterparty.id}$`));
    await page.getByRole("heading", { name: "Twin Rivers Ltd" }).waitFor();
    await shown.close();
  });
});
