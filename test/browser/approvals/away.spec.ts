/** What a person sees while a service is away, in a browser. */
import { describe, expect, it } from "vitest";
import type { VirtualAccount } from "../../../clients/typescript/types.gen.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { aNumber } from "../../world/inbound.ts";
import { OwnWorld } from "../../world/system/own-world.ts";
import { Taxpayer } from "../../world/taxpayer.ts";
import { Dashboard } from "../dashboard.ts";
import { loseAnswers } from "../lose-answers.ts";
import { openApproval } from "../passkey.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open(OwnWorld.start()));
const { world } = dashboard;
const payer = await world.payerNamed("Operating");

async function waitingWire(counterpartyName: string): Promise<string> {
  const body = payer.body(4_711_00, "Wire", { counterpartyName });
  const { id } = (await world.post<{ id: string }>("/v1/payment-orders", body)).body;
  await world.reaches(id, ({ awaiting }) => awaiting === "Approval");
  return id;
}

describe("a decision while orders is away", () => {
  it("is not made; what was read stays with its time, and it is made once when orders is back", async () => {
    const id = await waitingWire("Decided Once");
    const shown = await dashboard.as("noor", `/approvals?order=${id}`);
    const { page } = shown;
    await openApproval(page, "$4,711.00");
    const sheet = page.getByRole("dialog");
    const approve = sheet.getByRole("button", { name: "Approve $4,711.00" });
    const orders = world.instanceOf("orders");
    await world.kill(orders);
    await approve.click();
    await sheet.getByText("A part of the service is not available right now.").waitFor();
    await page.getByText("What you see is as it was at").waitFor();
    expect(await page.getByText("Decided Once").first().isVisible()).toBe(true);
    const again = sheet.getByRole("button", { name: "Try again" });
    await expect.poll(() => again.isDisabled()).toBe(true);
    expect(await screenFaults(shown, [403, 503, 504])).toEqual([]);

    await world.replace(orders);
    await page.getByText("What you see is as it was at").waitFor({ state: "hidden" });
    await again.click();
    await sheet.getByText("approved", { exact: true }).waitFor();
    expect((await world.order(id)).approval.approvals.map(({ principal }) => principal)).toEqual(["noor"]);
    await shown.close();
  });
});

describe("a decision while the ledger is away", () => {
  it("is made by orders alone, and moves the money once when the ledger is back", async () => {
    const id = await waitingWire("Moved Once");
    await world.post(`/v1/payment-orders/${id}/approve`, undefined, { as: "approver1" });
    const shown = await dashboard.as("vic", `/approvals?order=${id}`);
    const { page } = shown;
    await openApproval(page, "$4,711.00");
    const ledger = world.instanceOf("ledger");
    await world.kill(ledger);
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Approve $4,711.00" }).click();
    await sheet.getByText("approved", { exact: true }).waitFor();
    expect(await screenFaults(shown, [403, 503, 504])).toEqual([]);
    expect((await world.order(id)).status).not.toBe("Completed");

    await world.replace(ledger);
    const { approval } = await world.comesToRest(id);
    expect(approval.approvals.map(({ principal }) => principal)).toEqual(["approver1", "vic"]);
    await shown.close();
  });
});

describe("a decision whose gateway dies before it has answered", () => {
  it("says that nothing can be reached, and is sent again as the same request once the gateway is back", async () => {
    const id = await waitingWire("Sent Again");
    const shown = await dashboard.as("omar", `/approvals?order=${id}`);
    const { page } = shown;
    await openApproval(page, "$4,711.00");
    const lost = await loseAnswers(page, `/v1/payment-orders/${id}/approve`, 1);
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Approve $4,711.00" }).click();
    await until("the answer to get lost", async () => (await lost()) === 1);
    const gateway = world.instanceOf("gateway");
    await world.kill(gateway);
    await sheet.getByText("Quittance can't be reached").waitFor();
    await page.getByText("What you see is as it was at").waitFor();
    const again = sheet.getByRole("button", { name: "Try again" });
    await expect.poll(() => again.isDisabled()).toBe(true);
    expect(await page.getByText("Sent Again").first().isVisible()).toBe(true);
    expect(await screenFaults(shown, [403, 0])).toEqual([]);

    await world.replace(gateway);
    await page.getByText("What you see is as it was at").waitFor({ state: "hidden" });
    await again.click();
    await sheet.getByText("approved", { exact: true }).waitFor();
    expect((await world.order(id)).approval.approvals.map(({ principal }) => principal)).toEqual(["omar"]);
    await shown.close();
  });
});

it("a screen whose file an update has replaced offers to reload the page", async () => {
  const shown = await dashboard.as("vera", "/orders");
  const { page } = shown;
  await page.getByRole("heading", { name: "Orders" }).waitFor();
  const file = /\/reconciliation-[^/]*\.js$/;
  await page.route(file, (route) => route.fulfill({ status: 404 }));
  await page.getByRole("link", { name: "Reconciliation" }).click();
  await page.getByRole("heading", { name: "A part of this page could not be loaded" }).waitFor();
  expect(await screenFaults(shown, [404])).toEqual([]);
  await page.unroute(file);
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByText("No runs yet").waitFor();
  await shown.close();
});

describe("a screen while the gateway is away", () => {
  it("keeps what was read, with its time; one that was not opened yet opens by itself when it is back", async () => {
    await waitingWire("Kept On The Screen");
    const shown = await dashboard.as("vera", "/orders");
    const { page } = shown;
    const row = page.getByRole("row", { name: "Kept On The Screen" });
    await row.waitFor();
    const gateway = world.instanceOf("gateway");
    await world.kill(gateway);
    await page.getByText("What you see is as it was at").waitFor();
    await page.getByRole("link", { name: "Reconciliation" }).click();
    await page.getByRole("heading", { name: "Quittance can't be reached" }).waitFor();
    expect(await screenFaults(shown, [0])).toEqual([]);
    await page.getByRole("link", { name: "Orders" }).click();
    expect(await row.isVisible()).toBe(true);
    expect(await page.getByText("What you see is as it was at").isVisible()).toBe(true);
    await page.goBack();

    await world.replace(gateway);
    await page.getByText("No runs yet").waitFor();
    await page.getByText("What you see is as it was at").waitFor({ state: "hidden" });
    await page.goBack();
    await waitingWire("Arrives Afterwards");
    await page.getByRole("row", { name: "Arrives Afterwards" }).waitFor();
    await shown.close();
  });
});

describe("a payment of an obligation while the ledger is away", () => {
  it("is not made; what was read stays, and it is made once when the ledger is back", async () => {
    const taxpayer = new Taxpayer(world, payer);
    const { id } = await taxpayer.owes(45_600, await taxpayer.payee());
    const shown = await dashboard.as("maya", `/obligations/${id}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Pay $456.00…" }).click();
    await page.getByLabel("Rail").selectOption("Wire");
    await page.getByLabel("From your account").fill("Operating");
    const ledger = world.instanceOf("ledger");
    await world.kill(ledger);
    const pay = page.getByRole("button", { name: "Pay $456.00", exact: true });
    await pay.click();
    const form = page.locator("form").filter({ has: pay });
    await form.getByText("A part of the service is not available right now.").waitFor();
    await page.getByText("What you see is as it was at").waitFor();
    expect(await page.getByText("Fixed: $456.00 booked").isVisible()).toBe(true);
    await expect.poll(() => pay.isDisabled()).toBe(true);
    expect(await screenFaults(shown, [503, 504])).toEqual([]);

    await world.replace(ledger);
    await page.getByText("What you see is as it was at").waitFor({ state: "hidden" });
    await pay.click();
    await page.getByText("Being paid.").waitFor();
    const { body } = await world.get<{ data: { obligationId: string | null }[] }>(
      "/v1/payment-orders?rail=Wire",
    );
    expect(body.data.filter(({ obligationId }) => obligationId === id)).toHaveLength(1);
    await shown.close();
  });
});

describe("a change of a virtual account while the ledger is away", () => {
  it("is refused, and is made once when the ledger is back", async () => {
    const { id } = await aNumber(world, payer.accountId);
    const shown = await dashboard.as("maya", `/virtual-accounts/${id}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Disable…" }).click();
    const disable = page.getByRole("button", { name: "Disable the number" });
    const ledger = world.instanceOf("ledger");
    await world.kill(ledger);
    await disable.click();
    const sheet = page.getByRole("dialog");
    await sheet.getByText("A part of the service is not available right now.").waitFor();
    await page.getByText("What you see is as it was at").waitFor();
    await expect.poll(() => disable.isDisabled()).toBe(true);
    expect(await screenFaults(shown, [503, 504])).toEqual([]);

    await world.replace(ledger);
    await page.getByText("What you see is as it was at").waitFor({ state: "hidden" });
    await disable.click();
    await page.getByText("Money sent to this number still arrives, and goes to Suspense.").waitFor();
    const { body } = await world.get<VirtualAccount>(`/v1/virtual-accounts/${id}`);
    expect(body.status).toBe("Disabled");
    await shown.close();
  });
});
