/** The form for a new payment order, as a maker fills it in. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { Dashboard } from "../dashboard.ts";
import { fillInOrder } from "../fill-in-order.ts";
import { loseAnswers } from "../lose-answers.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
await world.payerNamed("Operating");

describe("a new order", () => {
  it("shows at each pause what would become of it, and is sent with the keyboard alone", async () => {
    const shown = await dashboard.as("maya", "/orders");
    const { page } = shown;
    await page.getByRole("link", { name: "New order" }).click();
    await page.getByText("Fill in amount, account and counterparty").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await fillInOrder(page, "1,234.5");
    await page.getByRole("row", { name: "Posted $0.00 $0.00 −$1,234.50" }).waitFor();
    await page.getByText("Approvals").last().waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByLabel("Routing number").press("Enter");
    await page.getByText("The money has moved, and the ledger has posted it.").waitFor();
    await page.getByText("$1,234.50").first().waitFor();
    await shown.close();
  });

  it("shows at a field what is wrong with its value", async () => {
    const shown = await dashboard.as("maya", "/orders/new");
    const { page } = shown;
    await fillInOrder(page, "10");
    await page.getByLabel("Routing number").fill("790001006");
    await page.locator(".fault").waitFor();
    expect(await page.getByLabel("Routing number").getAttribute("aria-invalid")).toBe("true");
    expect(await screenFaults(shown, [400, 422])).toEqual([]);
    await page.getByLabel("Amount in US dollars").fill("1800.5.0");
    await page.getByText("Type an amount such as 1,234.50.").waitFor();
    await shown.close();
  });

  it("names the day before which it does not leave", async () => {
    const shown = await dashboard.as("maya", "/orders/new");
    const { page } = shown;
    await fillInOrder(page, "11");
    await page.getByText("at once", { exact: true }).waitFor();
    const inTenDays = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel("Not before (optional)").fill(inTenDays);
    await page.getByText(/^not before \w+day, \w+ \d+, 20\d\d$/).waitFor();
    await expect.poll(() => page.getByText("at once", { exact: true }).count()).toBe(0);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("says in dollars what an account lacks", async () => {
    const shown = await dashboard.as("maya", "/orders/new");
    const { page } = shown;
    const detail = "Operating has 352250 cents available and refuses overdraft. Fund it, or move less.";
    await page.route("**/preview", (route) =>
      route.fulfill({ status: 422, json: { title: "Insufficient funds", detail, retryable: false } }),
    );
    await fillInOrder(page, "9,999");
    await page.getByText("Operating has $3,522.50 available and refuses overdraft.").waitFor();
    expect(await page.getByText("352250").count()).toBe(0);
    await shown.close();
  });

  it("can be copied as the curl command that would make it", async () => {
    const shown = await dashboard.as("maya", "/orders/new");
    const { page } = shown;
    await fillInOrder(page, "12.00");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByText("Copied").waitFor();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(copied).toMatch(/^curl -s -X POST '.*\/v1\/payment-orders'/);
    expect(copied).toContain('"amountCents":1200');
    expect(copied).toContain("$QUITTANCE_API_KEY");
    await shown.close();
  });

  it("is made once, however often it is sent, also after a reload", async () => {
    const shown = await dashboard.as("maya", "/orders/new");
    const { page } = shown;
    const countLost = await loseAnswers(page, "/v1/payment-orders", 2);
    const send = async () => {
      await fillInOrder(page, "77.00");
      await page.getByRole("button", { name: "Send $77.00" }).click();
    };
    await send();
    await page.getByText("Quittance can't be reached").first().waitFor();
    await page.getByRole("button", { name: "Send $77.00" }).click();
    await until("the second answer to get lost", async () => (await countLost()) === 2);
    await page.reload();
    await send();
    await page.waitForURL(/\/orders\/po_/);
    const { body } = await world.get<{ data: { amountCents: number }[] }>("/v1/payment-orders");
    expect(body.data.filter(({ amountCents }) => amountCents === 7_700)).toHaveLength(1);
    await shown.close();
  });

  it("is made once if the connection ends within its answer", async () => {
    const shown = await dashboard.as("maya", "/orders/new");
    const { page } = shown;
    const countLost = await loseAnswers(page, "/v1/payment-orders", 1, "body");
    await fillInOrder(page, "78.00");
    await page.getByRole("button", { name: "Send $78.00" }).click();
    await page.getByText("Quittance can't be reached").first().waitFor();
    expect(await countLost()).toBe(1);
    await page.getByRole("button", { name: "Send $78.00" }).click();
    await page.waitForURL(/\/orders\/po_/);
    const { body } = await world.get<{ data: { amountCents: number }[] }>("/v1/payment-orders");
    expect(body.data.filter(({ amountCents }) => amountCents === 7_800)).toHaveLength(1);
    await shown.close();
  });

  it("to another account of the tenant names that account, whatever was typed for another rail", async () => {
    const { accountId } = await world.payerNamed("Tax reserve");
    const shown = await dashboard.as("maya", "/orders/new");
    const { page } = shown;
    await fillInOrder(page, "79.00");
    await page.getByLabel("Rail").selectOption("Book");
    await page.getByLabel("Your other account").fill(accountId);
    await page.getByRole("button", { name: "Send $79.00" }).click();
    await page.waitForURL(/\/orders\/po_/);
    const id = page.url().split("/").at(-1) ?? "";
    expect((await world.order(id)).counterpartyName).toBe("Tax reserve");
    await shown.close();
  });

  it("begins with the values of a copied order, and is saved as a draft once its number is typed", async () => {
    const payer = await world.payerNamed("Freight");
    const terms = { counterpartyName: "Ada Example", purpose: "Freight, March", description: "Week 46" };
    const made = await world.post<{ id: string }>(
      "/v1/payment-orders",
      payer.body(123_456, "Rtp", { ...terms, externalId: "4711", submit: false }),
    );
    const shown = await dashboard.as("maya", `/orders/${made.body.id}`);
    const { page } = shown;
    await page.getByRole("link", { name: "Duplicate" }).click();
    await page.getByText("so type the whole number again").waitFor();
    const labels = ["Rail", "Amount in US dollars", "From your account", "Paid to", "Account number"];
    const values = await Promise.all(labels.map((label) => page.getByLabel(label).inputValue()));
    expect(values).toEqual(["Rtp", "1,234.56", "Freight", "Ada Example", ""]);
    await expect.poll(() => page.getByRole("button", { name: "Save as draft" }).isDisabled()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByLabel("Account number").fill("000123456789");
    await page.getByRole("button", { name: "Save as draft" }).click();
    await page.getByText("Nobody has submitted it").waitFor();
    const { body: drafts } = await world.get<{ data: { id: string }[] }>(
      "/v1/payment-orders?externalId=4711&status=Draft",
    );
    expect(drafts.data).toMatchObject([
      { ...terms, amountCents: 123_456, counterpartyRoutingNumber: "790001005", statementDescriptor: null },
      { id: made.body.id },
    ]);
    expect(page.url()).toContain(drafts.data[0]?.id);
    await shown.close();
  });

  it("does not copy a counterparty that was archived since, and says so", async () => {
    const account = { rail: "Rtp", accountNumber: "000123456789", routingNumber: "790001005" };
    const details = { name: "Gone Freight", type: "Business", accounts: [account] };
    const { id } = (await world.post<{ id: string }>("/v1/counterparties", details)).body;
    await world.post(`/v1/counterparties/${id}/verify`, undefined, { as: "admin" });
    const payer = await world.payerNamed("Fuel");
    const order = { direction: "Credit", rail: "Rtp", amountCents: 5_000, ledgerAccountId: payer.accountId };
    const made = await world.post<{ id: string }>("/v1/payment-orders", { ...order, counterpartyId: id });
    await world.post(`/v1/counterparties/${id}/archive`);
    const shown = await dashboard.as("maya", `/orders/new?copyOf=${made.body.id}`);
    const { page } = shown;
    await page.getByText("The counterparty Gone Freight is archived, so choose another").waitFor();
    expect(await page.getByLabel("Paid to").inputValue()).toBe("");
    expect(await page.getByLabel("Amount in US dollars").inputValue()).toBe("50.00");
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("suggests, in a book of many accounts, those whose name begins with what is typed", async () => {
    const fleet = Array.from({ length: 100 }, (_, number) => `Fleet ${String(number)}`);
    for (const name of fleet) await world.post("/v1/ledger-accounts", { name });
    const shown = await dashboard.as("maya", "/orders/new");
    const { page } = shown;
    const suggested = page.locator("datalist option[value='Operating']");
    await page.locator("datalist option[value='Fleet 99']").waitFor({ state: "attached" });
    expect(await suggested.count()).toBe(0);
    await page.getByLabel("From your account").fill("oper");
    await suggested.waitFor({ state: "attached" });
    expect(shown.faults).toEqual([]);
    await shown.close();
  });
});
