/** What an approver sees when somebody else was faster, or what was shown is no longer so. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { Dashboard } from "../dashboard.ts";
import { openApproval } from "../passkey.ts";
import { screenFaults } from "../screen-faults.ts";
import { tryAgain } from "../try-again.ts";

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

/** A verified counterparty with an account on each of two rails. */
async function payee(name: string) {
  const account = { rail: "Rtp", accountNumber: "000123456789", routingNumber: "790001005" };
  const wire = { ...account, rail: "Wire" };
  const details = { name, type: "Business", accounts: [account, wire] };
  const made = await world.post<{ id: string }>("/v1/counterparties", details);
  const path = `/v1/counterparties/${made.body.id}`;
  const verify = (as: "admin" | "maker") => world.post(`${path}/verify`, undefined, { as });
  await verify("admin");
  const pay = async (amountCents: number, rail = "Rtp"): Promise<string> => {
    const order = { direction: "Credit", rail, ledgerAccountId: payer.accountId };
    const body = { ...order, amountCents, counterpartyId: made.body.id };
    const answer = await world.post<{ id: string }>("/v1/payment-orders", body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body.id;
  };
  return {
    paid: async () => world.comesToRest(await pay(100)),
    /** An order that waits for approval. */
    waiting: async (rail: "Rtp" | "Wire") => {
      const { id } = await world.reaches(
        await pay(1_300_000, rail),
        ({ awaiting }) => awaiting === "Approval",
      );
      return id;
    },
    change: async () => {
      const body = { ...details, accounts: [{ ...account, accountNumber: "000555566667" }, wire] };
      await world.send(world.tenant.keys.admin, "PUT", path, { body });
      await verify("maker");
    },
  };
}

describe("an approver", () => {
  it("reads that a counterparty has changed since it was last paid, or that this can't be known", async () => {
    const { paid, change, waiting } = await payee("New Account Number");
    await paid();
    await change();
    const id = await waiting("Rtp");
    const shown = await dashboard.as("noor", `/approvals?order=${id}`);
    const { page } = shown;
    await page.getByText("This counterparty was paid by RTP before, and changed since").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.route("**/v1/counterparties/**", (route) => route.abort());
    await page.reload();
    await page.getByText("The counterparty could not be read").waitFor();
    await shown.close();
  });

  it("reads whether a payment has reached the account of this rail, and was not sent back", async () => {
    const { paid, waiting } = await payee("Two Rails");
    const order = await paid();
    const [wire, rtp] = [await waiting("Wire"), await waiting("Rtp")];
    const shown = await dashboard.as("noor", `/approvals?order=${wire}`);
    const { page } = shown;
    await page.getByText("No earlier payment by Wire has reached this counterparty").waitFor();
    await page.goto(dashboard.url(`/approvals?order=${rtp}`));
    await page.getByText("This counterparty was paid by RTP before, and has not changed since").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    const data = [{ ...order, sentBackBy: "ip_01jd3k60a2f8x9t4c1v5b7w3me" }];
    await page.route("**/v1/payment-orders?*", (route) =>
      route.fulfill({ json: { data, hasMore: false, nextCursor: null } }),
    );
    await page.reload();
    await page.getByText("No earlier payment by RTP has reached this counterparty").waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("approves by the keyboard the order that is shown, not the older row of the list", async () => {
    const id = await waitingOrder("Older In The List");
    const shown = await dashboard.as("noor", "/sign-in");
    const { page } = shown;
    await changeAnswers(
      page,
      "/v1/inbox",
      `const inbox = await response.json();
      for (const order of inbox.paymentOrders.data) order.approval.orderHash = "0".repeat(64);
      return new Response(JSON.stringify(inbox), { headers: { "content-type": "application/json" } });`,
    );
    await shown.goto(dashboard.url(`/approvals?order=${id}`));
    await page.getByRole("button", { name: "Approve $12,000.00" }).waitFor();
    const sent = page.waitForRequest((request) => request.url().endsWith("/auth/step-up"));
    await page.keyboard.press("a");
    await page.getByRole("dialog").getByRole("button", { name: "Approve $12,000.00" }).click();
    const { orderHashes } = (await sent).postDataJSON() as { orderHashes: string[] };
    const { body: order } = await world.get<{ approval: { orderHash: string } }>(`/v1/payment-orders/${id}`);
    expect(orderHashes).toEqual([order.approval.orderHash]);
    await shown.discard();
  });

  it("who is second learns what the order has become, and who approved it", async () => {
    const id = await waitingOrder("Two At Once");
    const [first, second] = [
      await dashboard.as("noor", `/approvals?order=${id}`),
      await dashboard.as("vic", `/approvals?order=${id}`),
    ];
    await openApproval(second.page, "$12,000.00");
    await openApproval(first.page, "$12,000.00");
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
    await openApproval(page, "$12,000.00");
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Approve $12,000.00" }).click();
    await sheet.getByText("The order is not the one that was shown.").waitFor();
    await sheet.getByText("It still waits for approval. Read it again before you decide.").waitFor();
    expect((await world.order(id)).approval.received).toBe(0);
    expect(await screenFaults(shown, [403, 409])).toEqual([]);
    await shown.discard();
  });

  it("who made the order is refused by the service, whatever their screen offers", async () => {
    const id = await waitingOrder("Their Own");
    const shown = await dashboard.as("maker", "/orders");
    const { page } = shown;
    await changeAnswers(
      page,
      `/v1/payment-orders/${id}`,
      `const order = await response.json();
       order.approval.mine = { allowed: true, code: null };
       return new Response(JSON.stringify(order), response);`,
    );
    await page.goto(dashboard.url(`/approvals?order=${id}`));
    await openApproval(page, "$12,000.00");
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Approve $12,000.00" }).click();
    await sheet.getByText("maker made this order, so another principal must approve it.").waitFor();
    expect((await world.order(id)).approval).toMatchObject({ received: 0, approvals: [] });
    await shown.discard();
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
    await openApproval(page, "$12,000.00");
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Approve $12,000.00" }).click();
    await sheet.getByText("Quittance can't be reached").waitFor();
    await sheet.getByRole("button", { name: "Try again" }).click();
    await sheet.getByText("approved", { exact: true }).waitFor();
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    expect((await world.order(id)).approval.received).toBe(1);
    await shown.discard();
  });

  it("reads that orders which are not listed may wait, where none of the listed ones does", async () => {
    const shown = await dashboard.as("noor", "/orders");
    const { page } = shown;
    const { body: inbox } = await world.get<object>("/v1/inbox", "approver1");
    const json = { ...inbox, paymentOrders: { data: [], count: 0, hasMore: true } };
    await page.route("**/v1/inbox", (route) => route.fulfill({ json }));
    await page.goto(dashboard.url("/approvals"));
    await page.getByText("None of the listed orders waits for you").waitFor();
    expect(await page.getByRole("link", { name: /^Approvals/ }).innerText()).toContain("0+");
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("is offered to try again where the inbox can't be read", async () => {
    const shown = await dashboard.as("noor", "/orders");
    const { page } = shown;
    await page.route("**/v1/inbox", (route) => route.abort());
    await page.goto(dashboard.url("/approvals"));
    await page.getByText("Quittance can't be reached").waitFor();
    await page.unroute("**/v1/inbox");
    await tryAgain(page, page.getByRole("button", { name: /Needs me/ }));
    expect(await page.getByText("Quittance can't be reached").count()).toBe(0);
    await shown.close();
  });
});

describe("an answer that the page can't use", () => {
  it("is a failure of the page, and not of the connection", async () => {
    const shown = await dashboard.as("noor", "/orders");
    const { page } = shown;
    await page.route("**/v1/inbox", (route) => route.fulfill({ json: {} }));
    await page.goto(dashboard.url("/approvals"));
    await page.getByText("This page failed").waitFor();
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
    await Promise.all([dashboard.credentialsOf("vera"), dashboard.credentialsOf("maker")]);
    const { body: people } = await world.get<{ data: { id: string; principal: string }[] }>(
      "/v1/people",
      "admin",
    );
    const idOf = (name: string) => people.data.find(({ principal }) => principal === name)?.id ?? "";
    const vera = idOf("vera");
    await world.send(admin, "PATCH", `/v1/people/${vera}`, { body: { roles: ["Approver"] } });
    const more = ["Maker", "Approver", "Admin"];
    await world.send(admin, "PATCH", `/v1/people/${idOf("maker")}`, { body: { roles: more } });

    const shown = await dashboard.as("ada", "/approvals");
    const { page } = shown;
    await page.getByRole("button", { name: /^API key Release robot/ }).click();
    const lead = page.getByText("Another person must approve it.").locator("..");
    expect(await lead.innerText()).toContain("It has keys:write. It acts for approver1.");
    expect(await page.getByText("keys:write", { exact: true }).isVisible()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Deny…" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await sheet.getByRole("button", { name: "Deny" }).click();
    await sheet.getByText("denied", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Close" }).click();

    await page.getByRole("button", { name: /^maker as Admin in Test/ }).click();
    await page.getByText("Also act for this principal").waitFor();
    await page.getByRole("button", { name: /^vera as Approver in Test/ }).click();
    await page.getByText("None act for this principal").waitFor();
    await page.getByText("operator", { exact: true }).waitFor();
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
