/** What an approver sees of approvals that were given, and of an order once it is decided. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { openApproval } from "../passkey.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Operating");

async function waiting(amountCents: number, rail: "Rtp" | "Wire", more: object = {}): Promise<string> {
  const terms = { purpose: "Freight, March", description: "Diesel, week 46", externalId: `invoice ${rail}` };
  const body = payer.body(amountCents, rail, { counterpartyName: "Ada Example", ...terms, ...more });
  const made = await world.post<{ id: string }>("/v1/payment-orders", body);
  expect(made).toMatchObject({ status: 201 });
  await world.reaches(made.body.id, ({ awaiting }) => awaiting === "Approval");
  return made.body.id;
}

describe("an order that waits for approval", () => {
  it("says what it is for, in the inbox, beside it and on its page", async () => {
    const id = await waiting(1_200_000, "Rtp");
    const shown = await dashboard.as("noor", `/approvals?order=${id}`);
    const { page } = shown;
    const inbox = page.getByRole("region", { name: "Orders that wait for approval" });
    await inbox.getByText("Freight, March · Diesel, week 46 · invoice Rtp").waitFor();
    const detail = page.getByRole("region", { name: "Ada Example" });
    for (const text of ["Freight, March", "Diesel, week 46", "invoice Rtp"])
      await detail.getByText(text, { exact: true }).waitFor();
    await page.goto(dashboard.url(`/orders/${id}`));
    for (const text of ["Freight, March", "Diesel, week 46", "invoice Rtp"])
      await page.getByRole("definition").getByText(text, { exact: true }).waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("forecasts its balances while it waits, and says what became of it once it is decided", async () => {
    const id = await waiting(1_300_000, "Rtp");
    const shown = await dashboard.as("noor", `/approvals?order=${id}`);
    const { page } = shown;
    const forecast = page.getByText("What it does to Operating");
    await forecast.waitFor();
    await world.post(`/v1/payment-orders/${id}/approve`, undefined, { as: "approver1" });
    await page.getByText("The money has moved, and the ledger has posted it.").waitFor();
    expect(await page.getByText("What became of it").isVisible()).toBe(true);
    expect(await forecast.count()).toBe(0);
    const stale = /last approval|One person must approve|Waiting|with the last approval|held already/;
    expect(await page.getByRole("region", { name: "Ada Example" }).innerText()).not.toMatch(stale);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });
});

describe("the deadline of an approval", () => {
  it("is shown as the moment that the book names", async () => {
    const id = await waiting(1_250_000, "Rtp");
    const { approval } = await world.order(id);
    const shown = await dashboard.as("noor", `/approvals?order=${id}`);
    const at = shown.page.getByText("Expires").locator("time");
    await at.waitFor();
    expect(await at.getAttribute("datetime")).toBe(approval.expiresAt);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });
});

describe("an order for a later day", () => {
  it("names the day before which it does not leave, before and after its last approval", async () => {
    const effectiveDate = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
    const id = await waiting(1_350_000, "Rtp", { effectiveDate });
    const shown = await dashboard.as("noor", `/approvals?order=${id}`);
    const { page } = shown;
    await page.getByText(/^not before \w+day, \w+ \d+, 20\d\d$/).waitFor();
    expect(await page.getByText("at once").count()).toBe(0);
    expect(await screenFaults(shown)).toEqual([]);
    await world.post(`/v1/payment-orders/${id}/approve`, undefined, { as: "approver1" });
    await world.reaches(id, ({ awaiting }) => awaiting === "Window");
    await page.goto(dashboard.url(`/orders/${id}`));
    await page.getByText("It waits for its date.").waitFor();
    expect(await page.getByText(/It does not go to its rail before \w+day, /).isVisible()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });
});

describe("the orders that were decided", () => {
  it("are listed with who decided them, the latest decision first", async () => {
    const denied = await waiting(1_400_000, "Rtp");
    const approved = await waiting(1_500_000, "Rtp");
    await world.post(`/v1/payment-orders/${approved}/approve`, undefined, { as: "approver1" });
    await world.post(`/v1/payment-orders/${denied}/deny`, { reason: "a duplicate" }, { as: "approver1" });
    await world.reaches(denied, ({ status }) => status === "Cancelled");
    const shown = await dashboard.as("noor", "/approvals?tab=none");
    const { page } = shown;
    await page.getByRole("button", { name: "Decided" }).click();
    const list = page.getByRole("region", { name: "Orders whose approval was decided" });
    const rows = list.getByRole("listitem");
    await rows.getByText("$15,000.00").waitFor();
    const [first = "", second = ""] = await rows.allInnerTexts();
    expect(first).toMatch(/denied by approver1 · .*\$14,000.00\s+Denied/s);
    expect(second).toMatch(/approved by approver1 · .*\$15,000.00\s+Approved/s);
    const { decision } = (await world.order(denied)).approval;
    expect(await rows.first().locator("time").getAttribute("datetime")).toBe(decision?.decidedAt);
    await page.getByText("It is denied now, by approver1: a duplicate.").waitFor();
    await page.getByText("denied it").waitFor();
    await page.keyboard.press("j");
    await page.getByRole("region", { name: "Ada Example" }).getByText("$15,000.00").waitFor();
    const view = new URL(page.url()).searchParams;
    expect([view.get("tab"), view.get("order")]).toEqual(["decided", approved]);
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Needs me" }).click();
    await page.getByRole("region", { name: "Orders that wait for approval" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
    await shown.close();
  });
});

describe("a denied order", () => {
  it("names who denied it while its hold is still being released", async () => {
    const id = await waiting(1_600_000, "Wire");
    await world.post(`/v1/payment-orders/${id}/approve`, undefined, { as: "approver1" });
    await world.post(`/v1/payment-orders/${id}/deny`, { reason: "a duplicate" }, { as: "approver2" });
    await world.reaches(id, ({ status }) => status === "Cancelled");
    const json = { ...(await world.order(id)), status: "Pending" };
    const shown = await dashboard.as("noor", "/orders");
    await shown.page.route(`**/v1/payment-orders/${id}`, (route) => route.fulfill({ json }));
    await shown.goto(dashboard.url(`/approvals?order=${id}`));
    await shown.page.getByText("It is denied now, by approver2: a duplicate.").waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });
});

describe("several approvals", () => {
  it("are not sent again once they were given, also if the passkey does not confirm the next try", async () => {
    const ids = [await waiting(1_700_000, "Rtp"), await waiting(1_800_000, "Rtp")];
    const shown = await dashboard.as("vic", "/approvals?rail=Rtp");
    const { page } = shown;
    const sent: string[] = [];
    await page.route("**/approve", async (route) => {
      const id = route.request().url().split("/").at(-2) ?? "";
      sent.push(id);
      const isLost = id === ids[0] && sent.filter((one) => one === id).length === 1;
      if (isLost) await route.fulfill({ status: 503, json: { title: "Away", retryable: true } });
      else await route.continue();
    });
    for (const amount of ["$17,000.00", "$18,000.00"])
      await page.getByRole("listitem").filter({ hasText: amount }).getByRole("checkbox").click();
    await openApproval(page, "$35,000.00", "Approve 2, $35,000.00");
    const sheet = page.getByRole("dialog");
    const approve = sheet.getByRole("button", { name: "Approve $35,000.00" });
    await approve.click();
    await sheet.getByText("Away").waitFor();
    await page.evaluate(
      `window.kept = navigator.credentials.get.bind(navigator.credentials);
       navigator.credentials.get = () => Promise.reject(new DOMException("cancelled", "NotAllowedError"))`,
    );
    await sheet.getByRole("button", { name: "Try again" }).click();
    await sheet.getByText("No passkey of yours confirmed it").waitFor();
    await sheet.getByText("approved", { exact: true }).waitFor();
    await page.evaluate("navigator.credentials.get = window.kept");
    await approve.click();
    await sheet.getByRole("heading", { name: "Approved" }).waitFor();
    expect(ids.map((id) => sent.filter((one) => one === id).length)).toEqual([2, 1]);
    await shown.close();
  });
});

describe("an approval whose principal has lost the right to approve", () => {
  it("is crossed out with the reason, where people decide and on the page of the order", async () => {
    const id = await waiting(200_000, "Wire");
    await world.post(`/v1/payment-orders/${id}/approve`, undefined, { as: "approver2" });
    const { body: keys } = await world.get<{ data: { id: string; principal: string }[] }>(
      "/v1/api-keys",
      "admin",
    );
    for (const key of keys.data.filter(({ principal }) => principal === "approver2"))
      await world.post(`/v1/api-keys/${key.id}/revoke`, undefined, { as: "admin" });
    const order = await world.reaches(id, ({ approval }) => approval.received === 0);
    expect(order.approval.approvals).toMatchObject([
      { principal: "approver2", counts: false, notCountedReason: "RightLost" },
    ]);
    const shown = await dashboard.as("noor", `/approvals?order=${id}`);
    const { page } = shown;
    const why = page.getByText("Not counted: this person has lost the right to approve.");
    await why.waitFor();
    expect(await page.locator("s", { hasText: "approver2" }).count()).toBe(1);
    expect(await page.getByText("0 of 2").first().isVisible()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);
    await page.goto(dashboard.url(`/orders/${id}`));
    await why.waitFor();
    expect(await page.locator("s", { hasText: "Approved" }).count()).toBe(1);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });
});
