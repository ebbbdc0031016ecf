/** Money in Suspense that the approval policy lets nobody assign alone, in a browser. */
import { expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { received, sendsTo } from "../../world/inbound.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;

it("is proposed by one person, and assigned by another who may approve", async () => {
  const payer = await world.payerNamed("Carrier settlements");
  const { body: policy } = await world.get<object>("/v1/approval-policy");
  const body = { ...policy, requireApprovalForLedgerTransactions: true };
  const put = await world.send(world.tenant.keys.admin, "PUT", "/v1/approval-policy", { body });
  expect(put.status).toBe(200);
  const { id } = await received(world, await sendsTo(world, "55501234", 1_000_001));

  const proposing = await dashboard.as("maya", `/inbound/${id}`);
  await proposing.page.getByLabel("To the account").fill("Carrier settlements");
  await proposing.page.getByRole("button", { name: "Assign $10,000.01" }).click();
  await proposing.page.getByRole("button", { name: "Add a passkey" }).click();
  await proposing.page.getByText("You proposed it, so another person must approve it.").waitFor();
  expect(await proposing.page.getByRole("button", { name: /^Approve/ }).count()).toBe(0);
  expect(await screenFaults(proposing, [403])).toEqual([]);
  await proposing.close();

  // Noor is an approver and no maker, so she decides on the proposal and can't make another one.
  const approving = await dashboard.as("noor", `/inbound/${id}`);
  await approving.page.getByText("maya", { exact: true }).waitFor();
  expect(await approving.page.getByText("Assign it to another account").count()).toBe(0);
  await approving.page.getByRole("button", { name: "Approve, and assign $10,000.01" }).click();
  await approving.page.getByRole("button", { name: "Add a passkey" }).click();
  await approving.page.getByText("The money was in Suspense, and was assigned to an account.").waitFor();
  expect(await screenFaults(approving, [403])).toEqual([]);
  expect((await world.get(`/v1/inbound-payments/${id}`)).body).toMatchObject({
    status: "Assigned",
    proposedAssignment: { proposedBy: "maya" },
    assignment: { assignedBy: "noor", ledgerAccountId: payer.accountId },
  });
  await approving.close();
});
