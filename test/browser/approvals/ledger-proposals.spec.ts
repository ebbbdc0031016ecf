/** What is proposed in the ledger, as an approver decides on it, in a browser. */
import { beforeAll, describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { received, sendsTo } from "../../world/inbound.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;

async function pending(description: string): Promise<string> {
  const entries = [
    { ledgerAccountName: "Carrier settlements", direction: "Debit", amountCents: 90_000 },
    { ledgerAccountName: "Fuel", direction: "Credit", amountCents: 90_000 },
  ];
  const body = { description, status: "Pending", entries };
  const made = await world.send<{ id: string }>(world.tenant.keys.maker, "POST", "/v1/ledger-transactions", {
    body,
  });
  expect(made.status).toBe(201);
  return made.body.id;
}
const statusOf = async (id: string) =>
  (await world.get<{ status: string }>(`/v1/ledger-transactions/${id}`)).body.status;

beforeAll(async () => {
  await world.payerNamed("Carrier settlements");
  await world.payerNamed("Fuel");
});

describe("under Approvals, somebody who may only approve", () => {
  it("posts one pending transaction of another person, and voids another", async () => {
    const [posted, voided] = [await pending("Fuel of March"), await pending("Fuel of May")];
    const shown = await dashboard.as("noor", "/approvals");
    const { page } = shown;
    await page.getByRole("button", { name: /Ledger transaction: Fuel of March/ }).click();
    const detail = page.getByRole("region", { name: "Ledger transaction: Fuel of March" });
    for (const text of ["Carrier settlements", "Fuel of March"])
      await detail.getByText(text).first().waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Approve the proposal" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Approve", exact: true }).click();
    await sheet.getByRole("button", { name: "Add a passkey" }).click();
    await sheet.getByRole("button", { name: "Approve", exact: true }).click();
    await sheet.getByText("approved", { exact: true }).waitFor();
    await sheet.getByRole("button", { name: "Close" }).click();
    expect(await statusOf(posted)).toBe("Posted");

    await page.getByRole("button", { name: /Ledger transaction: Fuel of May/ }).click();
    await page.getByRole("region", { name: "Ledger transaction: Fuel of May" }).waitFor();
    await page.getByRole("button", { name: "Deny…" }).click();
    await sheet.getByRole("button", { name: "Deny", exact: true }).click();
    await sheet.getByText("denied", { exact: true }).waitFor();
    await sheet.getByRole("button", { name: "Close" }).click();
    expect(await statusOf(voided)).toBe("Voided");
    await shown.close();
  });

  it("makes a proposed assignment, and can't deny it", async () => {
    const { body: policy } = await world.get<object>("/v1/approval-policy");
    const body = { ...policy, requireApprovalForLedgerTransactions: true };
    const { keys } = world.tenant;
    expect((await world.send(keys.admin, "PUT", "/v1/approval-policy", { body })).status).toBe(200);
    const { id } = await received(world, await sendsTo(world, "55501234", 1_000_001));
    const assignment = { ledgerAccountName: "Fuel" };
    const path = `/v1/inbound-payments/${id}/assign`;
    expect((await world.send(keys.maker, "POST", path, { body: assignment })).status).toBe(202);

    const shown = await dashboard.as("vic", "/approvals");
    const { page } = shown;
    await page.getByRole("button", { name: /Assignment of a payment from/ }).click();
    await page.getByRole("link", { name: id }).waitFor();
    expect(await page.getByRole("button", { name: "Deny…" }).count()).toBe(0);
    await page.getByRole("button", { name: "Approve the proposal" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Approve", exact: true }).click();
    await sheet.getByRole("button", { name: "Add a passkey" }).click();
    await sheet.getByRole("button", { name: "Approve", exact: true }).click();
    await sheet.getByText("approved", { exact: true }).waitFor();
    const { body: assigned } = await world.get(`/v1/inbound-payments/${id}`);
    expect(assigned).toMatchObject({ status: "Assigned", assignment: { assignedBy: "vic" } });
    await shown.close();
  });
});
