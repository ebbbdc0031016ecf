/** Who sent what, and what is in Suspense, in a browser. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { aNumber, received, sendsTo } from "../../world/inbound.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Carrier settlements");

async function inSuspense(amountCents: number, more: Record<string, unknown> = {}) {
  return received(world, await sendsTo(world, "55501234", amountCents, more));
}

describe("inbound payments", () => {
  it("are listed with their sender, their number and where the money is, and filtered to Suspense", async () => {
    const number = await aNumber(world, payer.accountId);
    await received(world, await sendsTo(world, number.accountNumber, 120_050));
    await inSuspense(7_700, { originatorName: "Nobody Knows Inc" });
    const shown = await dashboard.as("vera", "/inbound");
    const { page } = shown;
    await page.getByRole("row", { name: /Blue Freight LLC .*RTP .*Attributed .*\$1,200\.50/ }).waitFor();
    await page
      .getByRole("row", { name: /Nobody Knows Inc .*In Suspense unknown number .*\$77\.00/ })
      .waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByLabel("Status").selectOption("In Suspense");
    await page.waitForURL(/status=Suspended/);
    await page.getByRole("row", { name: /Attributed/ }).waitFor({ state: "hidden" });
    await page.getByRole("link", { name: "Nobody Knows Inc" }).waitFor();
    await page.getByLabel("Bank reference").fill("no-such-reference");
    await page.keyboard.press("Enter");
    await page.getByText("No inbound payment matches these filters").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    // What is no filter lists everything, as if it were not there.
    await page.goto(dashboard.url("/inbound?status=Nonsense&bankReference="));
    await page
      .getByRole("row", { name: /Attributed/ })
      .first()
      .waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("lead from one that was attributed to its account, and from the account's journal back", async () => {
    const number = await aNumber(world, payer.accountId, "leads-back");
    const { id } = await received(world, await sendsTo(world, number.accountNumber, 31_100));
    const shown = await dashboard.as("vera", `/inbound/${id}`);
    const { page } = shown;
    await page.getByRole("link", { name: "Carrier settlements" }).press("Enter");
    await page.waitForURL(new RegExp(payer.accountId));
    await page
      .getByRole("row", { name: /\+\$311\.00/ })
      .getByRole("link")
      .press("Enter");
    await page.waitForURL(new RegExp(id));
    await page.getByText("The money was booked on the number's account when it arrived.").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });
});

describe("money in Suspense", () => {
  it("is assigned to an account, by the keyboard alone, and says by whom", async () => {
    const { id } = await inSuspense(40_000);
    const shown = await dashboard.as("maya", `/inbound/${id}`);
    const { page } = shown;
    const account = page.getByLabel("To the account");
    await account.fill("No such account");
    await account.press("Enter");
    await page.getByLabel("Name of the new passkey").press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await screenFaults(shown, [403, 404, 422])).toEqual([]);
    await account.fill("Carrier settlements");
    await page.getByRole("button", { name: "Assign $400.00" }).press("Enter");
    await page.getByText("The money was in Suspense, and was assigned to an account.").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.getByText("maya", { exact: true }).waitFor();
    expect(await screenFaults(shown, [403, 404, 422])).toEqual([]);
    const { body } = await world.get<{ assignment: { ledgerAccountId: string; assignedBy: string } }>(
      `/v1/inbound-payments/${id}`,
    );
    expect(body.assignment.ledgerAccountId).toBe(payer.accountId);
    expect(body.assignment.assignedBy).toBe("maya");
    await shown.close();
  });

  it("is not assigned twice: who comes second reads who was first", async () => {
    const { id } = await inSuspense(1_200);
    const shown = await dashboard.as("maker", `/inbound/${id}`);
    const { page } = shown;
    await page.getByLabel("To the account").fill("Carrier settlements");
    await page.route(`**/v1/inbound-payments/${id}/assign`, async (route) => {
      await world.post(`/v1/inbound-payments/${id}/assign`, { ledgerAccountId: payer.accountId });
      await route.continue();
    });
    await page.getByRole("button", { name: "Assign $12.00" }).click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByText("The money was in Suspense, and was assigned to an account.").waitFor();
    expect(await page.getByLabel("To the account").count()).toBe(0);
    expect(await screenFaults(shown, [403, 409])).toEqual([]);
    await shown.close();
  });

  it("offers no assignment to who may only read", async () => {
    const { id } = await inSuspense(999_999_999_999, { originatorName: `<img onerror>${"W".repeat(100)}` });
    const shown = await dashboard.as("vera", `/inbound/${id}`);
    const { page } = shown;
    await page.getByText("$9,999,999,999.99").waitFor();
    await page.getByText("The money is in Suspense").waitFor();
    expect(await page.getByRole("button", { name: /Assign/ }).count()).toBe(0);
    expect(await screenFaults(shown)).toEqual([]);
    await page.goto(dashboard.url("/inbound"));
    await page.getByText("$9,999,999,999.99").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("is one page for a wrong id and for a payment of another book", async () => {
    const shown = await dashboard.as("vera", "/inbound/ip_01m80104nre2btytj23x2xz26p");
    await shown.page.getByText("There is no such page").waitFor();
    expect(await screenFaults(shown, [404])).toEqual([]);
    await shown.close();
  });
});
