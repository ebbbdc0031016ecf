/** What an approver sees when somebody else was faster, or what was shown is no longer so. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { forThisFile } from "../stack/for-this-file.ts";
import { until } from "../stack/until.ts";
import { Dashboard } from "./dashboard.ts";
import { screenFaults } from "./screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Carrier settlements");

/** An order above the threshold of one approval. */
async function waitingOrder(counterpartyName: string, cents = 1_200_000): Promise<string> {
  const made = await world.post<{ id: string }>(
    "/v1/payment-orders",
    payer.body(cents, "Rtp", { counterpartyName }),
  );
  await world.reaches(made.body.id, ({ awaiting }) => awaiting === "Approval");
  return made.body.id;
}

/** Runs `script` on each `response` of the path before the page sees it; `answers` counts them. */
async function changeAnswers(page: Page, path: string, script: string): Promise<void> {
  await page.addInitScript(`
    const send = window.fetch;
    let answers = 0;
    window.fetch = async (input, init) => {
      const response = await send(input, init);
      if (new URL(input.url ?? input, location.href).pathname !== "${path}") return response;
      ${script}
    };`);
}

/** Opens the sheet, and makes the passkey that the first decision of a person needs. */
async function openSheet(page: Page, amount: string): Promise<void> {
  await page.getByRole("button", { name: `Approve ${amount}` }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: `Approve ${amount}` })
    .click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: `Approve ${amount}` })
    .waitFor();
}

describe("an approver", () => {
  it("who is second learns what the order has become, and who approved it", async () => {
    const id = await waitingOrder("Two At Once");
    const [first, second] = [
      await dashboard.as("noor", `/approvals?order=${id}`),
      await dashboard.as("vic", `/approvals?order=${id}`),
    ];
    await openSheet(second.page, "$12,000.00");
    await openSheet(first.page, "$12,000.00");
    await first.page.getByRole("dialog").getByRole("button", { name: "Approve $12,000.00" }).click();
    await first.page.getByText("approved", { exact: true }).waitFor();
    await world.comesToRest(id);
    const sheet = second.page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Approve $12,000.00" }).click();
    await sheet.getByText("It is completed now, approved by noor.").waitFor();
    expect(await screenFaults(second, [403, 409])).toEqual([]);
    const { approval } = await world.order(id);
    expect(approval.approvals.map(({ principal }) => principal)).toEqual(["noor"]);
    await first.close();
    await second.close();
  });

  it("whose screen showed another order than the one that waits approves nothing", async () => {
    const id = await waitingOrder("Changed Since");
    const shown = await dashboard.as("omar", "/orders");
    const { page } = shown;
    await changeAnswers(
      page,
      `/v1/payment-orders/${id}`,
      `const order = await response.json();
       order.approval.orderHash = "0".repeat(64);
       return new Response(JSON.stringify(order), response);`,
    );
    await page.goto(dashboard.url(`/approvals?order=${id}`));
    await openSheet(page, "$12,000.00");
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Approve $12,000.00" }).click();
    await sheet.getByText("The order is not the one that was shown.").waitFor();
    await sheet.getByText("It still waits for approval. Read it again before you decide.").waitFor();
    expect((await world.order(id)).approval.received).toBe(0);
    expect(await screenFaults(shown, [403, 409])).toEqual([]);
    await shown.close();
  });

  it("sends a decision again that got no answer, and it counts once", async () => {
    const id = await waitingOrder("No Answer");
    const shown = await dashboard.as("ines", "/orders");
    const { page } = shown;
    const keys: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/approve")) keys.push(request.headers()["idempotency-key"]);
    });
    const path = `/v1/payment-orders/${id}/approve`;
    await changeAnswers(page, path, `if (++answers === 1) throw new TypeError("lost"); return response;`);
    await page.goto(dashboard.url(`/approvals?order=${id}`));
    await openSheet(page, "$12,000.00");
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Approve $12,000.00" }).click();
    await sheet.getByText("Quittance can't be reached").waitFor();
    await sheet.getByRole("button", { name: "Try again" }).click();
    await sheet.getByText("approved", { exact: true }).waitFor();
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    expect((await world.order(id)).approval.received).toBe(1);
    await shown.close();
  });

  it("is offered to try again where the inbox can't be read", async () => {
    const shown = await dashboard.as("noor", "/orders");
    const { page } = shown;
    await page.route("**/v1/inbox", (route) => route.abort());
    await page.goto(dashboard.url("/approvals"));
    await page.getByText("Quittance can't be reached").waitFor();
    await page.unroute("**/v1/inbox");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: /Needs me/ }).waitFor();
    expect(await page.getByText("Quittance can't be reached").count()).toBe(0);
    await shown.close();
  });
});

describe("the inbox of an admin", () => {
  it("has proposed API keys and roles, and decides them", async () => {
    const { admin } = world.tenant.keys;
    const key = { name: "Release robot", principal: "approver1", scopes: ["keys:write"] };
    const made = await world.send(admin, "POST", "/v1/api-keys", { body: key });
    expect(made.status).toBe(202);
    await dashboard.credentialsOf("vera");
    const { body: people } = await world.get<{ data: { id: string; principal: string }[] }>(
      "/v1/people",
      "admin",
    );
    const vera = people.data.find(({ principal }) => principal === "vera")?.id ?? "";
    await world.send(admin, "PATCH", `/v1/people/${vera}`, { body: { roles: ["Approver"] } });

    const shown = await dashboard.as("ada", "/approvals");
    const { page } = shown;
    await page.getByRole("button", { name: /^API key Release robot/ }).click();
    await page.getByText("The key could decide on what others made").waitFor();
    expect(await page.getByText("keys:write", { exact: true }).isVisible()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Deny…" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await sheet.getByRole("button", { name: "Deny" }).click();
    await sheet.getByText("denied", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Close" }).click();

    await page.getByRole("button", { name: /^vera as Approver in Test/ }).click();
    await page.getByRole("button", { name: "Approve the proposal" }).click();
    await sheet.getByRole("button", { name: "Approve" }).click();
    await sheet.getByText("approved", { exact: true }).waitFor();
    const roles = await until("vera's role", async () => {
      const { body } = await world.get<{ roles: { Test: string[] } }>(`/v1/people/${vera}`, "admin");
      return body.roles.Test.includes("Approver") ? body.roles.Test : undefined;
    });
    expect(roles).toEqual(["Approver"]);
    await shown.close();
  });
});
