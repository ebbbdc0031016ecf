/** Whom the book pays: stored, verified by a second person, corrected by their bank and archived in a browser. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Counterparty, PaymentOrder, ProposedChange } from "../../../clients/typescript/types.gen.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Operating");

const account = (accountNumber: string, more: object = {}) => ({
  rail: "Ach",
  accountNumber,
  routingNumber: "790001005",
  ...more,
});
const stored = async (name: string, more: object = {}) => {
  const body = { name, type: "Business", accounts: [account("000123456789")], ...more };
  return (await world.post<Counterparty>("/v1/counterparties", body)).body;
};
const replace = (id: string, body: object) =>
  world.send(world.tenant.keys.admin, "PUT", `/v1/counterparties/${id}`, {
    body: { type: "Business", ...body },
  });
const read = async (id: string) => (await world.get<Counterparty>(`/v1/counterparties/${id}`)).body;
const sheetOf = (page: Page) => page.getByRole("dialog");

/** A verified counterparty whose bank has corrected its routing number. */
async function corrected(name: string, accountNumber: string): Promise<string> {
  const { id } = await stored(name, { accounts: [account(accountNumber)] });
  await world.post(`/v1/counterparties/${id}/verify`, undefined, { as: "admin" });
  await world.post("/v1/simulations/injections", {
    match: { accountNumber },
    fault: "NoticeOfChange",
    code: "C02",
    correctedData: { routingNumber: "790001102" },
    count: 1,
  });
  await world.post<PaymentOrder>("/v1/payment-orders", {
    direction: "Credit",
    rail: "Ach",
    amountCents: 1_000,
    ledgerAccountId: payer.accountId,
    counterpartyId: id,
  });
  await until(`a correction of ${name}`, async () => {
    const { body } = await world.get<{ data: ProposedChange[] }>(`/v1/counterparties/${id}/proposed-changes`);
    return body.data.length > 0;
  });
  return id;
}

describe("counterparties", () => {
  it("are listed with their masked accounts and verification, and filtered by the address", async () => {
    await stored("Blue Freight", { externalId: "20260101" });
    const { id } = await stored("Red Diesel", {
      type: "Individual",
      accounts: [account("000123454321"), account("000123450007", { rail: "Wire" })],
    });
    await world.post(`/v1/counterparties/${id}/verify`, undefined, { as: "admin" });
    const shown = await dashboard.as("vera", "/orders");
    const { page } = shown;
    await page.getByRole("link", { name: "Counterparties" }).press("Enter");
    await page
      .getByRole("row", { name: /Blue Freight Business · 20260101 ACH •••• 6789 Not verified/ })
      .waitFor();
    await page
      .getByRole("row", { name: /Red Diesel Person ACH •••• 4321, Wire •••• 0007 Verified/ })
      .waitFor();
    expect(await page.getByRole("link", { name: "New counterparty" }).count()).toBe(0);
    expect(await screenFaults(shown)).toEqual([]);

    await page.getByLabel("Verification", { exact: true }).selectOption("Verified");
    await page.getByRole("link", { name: "Blue Freight" }).waitFor({ state: "hidden" });
    expect(new URL(page.url()).searchParams.get("verificationStatus")).toBe("Verified");
    await page.getByLabel("Name, exactly").fill("Nobody");
    await page.keyboard.press("Enter");
    await page.getByText("No counterparty matches these filters").waitFor();
    await page.goto(dashboard.url("/counterparties?externalId=20260101"));
    await page.getByRole("link", { name: "Blue Freight" }).waitFor();
    expect(await page.getByRole("link", { name: "Red Diesel" }).count()).toBe(0);
    // A viewer reads its page, and is offered nothing to change it.
    await page.getByRole("link", { name: "Blue Freight" }).click();
    await page.getByText("No order can name it until another person verifies its details.").waitFor();
    await page.getByText("Its bank has sent no correction.").waitFor();
    for (const name of ["Verify…", "Archive…"])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "Edit" }).count()).toBe(0);
    expect(await page.getByText("000123456789").count()).toBe(0);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("are stored by one person, and verified by another with a passkey as they were shown", async () => {
    const made = await dashboard.as("maya", "/counterparties/new");
    const { page } = made;
    await page.getByText("It needs a name.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Prairie Grain Co-op");
    await page.getByLabel("Kind").selectOption("Checking");
    await page.getByLabel("Account number").fill("000123456789");
    await page.getByLabel("Routing number").fill("790001006");
    await page.getByRole("button", { name: "Add an account" }).press("Enter");
    await page.getByRole("button", { name: "Remove account 2" }).press("Enter");
    const submit = page.getByRole("button", { name: "Store the counterparty" });
    await submit.click();
    await page.locator("[aria-invalid=true]").waitFor();
    expect(await screenFaults(made, [422])).toEqual([]);
    await page.getByLabel("Routing number").fill("790001005");
    await submit.click();
    await page.waitForURL(/counterparties\/cp_/);
    await page.getByText("You entered these details, so another person must verify them.").waitFor();
    expect(await page.getByRole("button", { name: "Verify…" }).count()).toBe(0);
    const id = page.url().split("/").at(-1) ?? "";
    await made.close();

    const shown = await dashboard.as("maker", `/counterparties/${id}`);
    const second = shown.page;
    await second.getByRole("button", { name: "Verify…" }).press("Enter");
    const verify = sheetOf(second).getByRole("button", { name: "Verify these details" });
    await sheetOf(second).getByText("•••• 6789 at 790001005, Checking").waitFor();
    // People compare the last digits: no style of another screen may hide them.
    const security = "getComputedStyle(document.querySelector('.masked')).webkitTextSecurity";
    expect(await second.evaluate(security)).toBe("none");
    expect(await screenFaults(shown)).toEqual([]);
    // Somebody replaces the number while the details are on the screen.
    await replace(id, { name: "Prairie Grain Co-op", accounts: [account("000123450001")] });
    await verify.click();
    await sheetOf(second).getByRole("button", { name: "Add a passkey" }).click();
    await sheetOf(second).getByText("It has changed since you opened this:").waitFor();
    await sheetOf(second).getByText("account on ACH (•••• 0001)").waitFor();
    await expect.poll(() => verify.isDisabled()).toBe(true);
    expect((await read(id)).verificationStatus).toBe("Unverified");
    expect(await screenFaults(shown, [403, 412])).toEqual([]);
    await sheetOf(second).getByRole("button", { name: "Show it as it is now" }).click();
    await sheetOf(second).getByText("•••• 0001 at 790001005").waitFor();
    await verify.click();
    await second.getByText("Verified. maker verified these details").waitFor();
    expect(await read(id)).toMatchObject({ verificationStatus: "Verified", verifiedBy: "maker", version: 3 });
    expect(await screenFaults(shown, [403, 412])).toEqual([]);
    await shown.close();
  });

  it("are edited against what was shown, and archived and brought back on a phone", async () => {
    const { id } = await stored("Quarry Stone", { metadata: { team: "north" } });
    const shown = await dashboard.as("maya", `/counterparties/${id}/edit`, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const { page } = shown;
    await page.getByText("Now •••• 6789. Type it again: it can't be read back.").waitFor();
    const save = page.getByRole("button", { name: "Save the changes" });
    await expect.poll(() => save.isDisabled()).toBe(true);
    await page.getByLabel("Account number").fill("000555566667");
    await page.getByLabel("Email").fill("ap@quarry.example");
    await replace(id, { name: "Quarry Stone", externalId: "Q-7", accounts: [account("000123456789")] });
    await save.tap();
    await page.getByText("external id, metadata").waitFor();
    await expect.poll(() => save.isDisabled()).toBe(true);
    expect(await screenFaults(shown, [412])).toEqual([]);
    await page.getByRole("button", { name: "Keep what I typed" }).tap();
    await page.getByLabel("External id").fill("Q-8");
    await save.tap();
    await page.getByText("•••• 6667").first().waitFor();
    expect(await read(id)).toMatchObject({ email: "ap@quarry.example", externalId: "Q-8", version: 3 });

    await page.getByRole("button", { name: "Archive…" }).tap();
    await sheetOf(page).getByRole("button", { name: "Archive it" }).tap();
    await page.getByText("No new order can name it. maya archived it").waitFor();
    expect(await screenFaults(shown, [412])).toEqual([]);
    await page.goto(dashboard.url("/counterparties?show=archived"));
    await page.getByRole("link", { name: "Quarry Stone" }).tap();
    await page.getByRole("button", { name: "Bring back…" }).tap();
    await sheetOf(page).getByRole("button", { name: "Bring it back" }).tap();
    await page.getByRole("button", { name: "Archive…" }).waitFor();
    expect((await read(id)).archivedAt).toBeNull();
    await shown.close();
  });

  it("show their bank's corrections, each accepted with a passkey or dismissed", async () => {
    const [accepted, dismissed] = [
      await corrected("Corrected Ltd", "000555123456"),
      await corrected("Kept Ltd", "000555123457"),
    ];
    const shown = await dashboard.as("maya", `/counterparties/${accepted}`);
    const { page } = shown;
    await page.getByText("Notice C02 on ACH").waitFor();
    await page.getByText("Routing number: 790001102 (now 790001005)").waitFor();
    await page.getByRole("link", { name: "All of its orders" }).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Accept…" }).press("Enter");
    const accept = sheetOf(page).getByRole("button", { name: "Accept it" });
    await accept.click();
    await sheetOf(page).getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("Accepted", { exact: true }).waitFor();
    await page.getByText("No order can name it until another person verifies its details.").waitFor();
    expect((await read(accepted)).accounts[0]?.routingNumber).toBe("790001102");

    await page.goto(dashboard.url(`/counterparties/${dismissed}`));
    await page.getByRole("button", { name: "Dismiss…" }).click();
    expect(await screenFaults(shown, [403])).toEqual([]);
    await sheetOf(page).getByRole("button", { name: "Dismiss it" }).click();
    await page.getByText("Dismissed", { exact: true }).waitFor();
    expect((await read(dismissed)).verificationStatus).toBe("Verified");
    expect(await screenFaults(shown, [403])).toEqual([]);
    await page.getByRole("link", { name: "All of its orders" }).click();
    await page.waitForURL(new RegExp(`/orders\\?counterpartyId=${dismissed}`));
    await shown.close();
  });
});
