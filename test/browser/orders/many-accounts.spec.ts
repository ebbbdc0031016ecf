/** The screens of a book with 10,000 accounts and 3,000 orders. */
import { describe, expect, it } from "vitest";
import { type LedgerAccountId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Operating");
const { id: orderId } = await world.comesToRest((await payer.pays(1_000)).id);
// The triggers put each account into the book's chain, as at any other insert.
await world.rows(
  `insert into ledger.account (book_id, account_id, name, currency, normal_balance, class, overdraft)
   select book_id, uuidv7(), 'Fleet ' || lpad(n::text, 5, '0'), currency, normal_balance, class, overdraft
   from ledger.account
   cross join generate_series(1, 10000) n
   where account_id = $1`,
  [uuidOf(payer.accountId as LedgerAccountId)],
);
await world.rows(
  `insert into orders.payment_order
   select (jsonb_populate_record(o, jsonb_build_object('id', uuidv7(), 'amount_cents', 100000 + n))).*
   from orders.payment_order o
   cross join generate_series(1, 3000) n
   where o.id = $1`,
  [uuidOf(orderId as PaymentOrderId)],
);

describe("a book of 10,000 accounts and 3,000 orders", () => {
  it("is shown by pages, and each account is found by its name", async () => {
    const shown = await dashboard.as("maya", "/ledger");
    const { page } = shown;
    const limits: number[] = [];
    page.on("request", (request) => limits.push(Number(new URL(request.url()).searchParams.get("limit"))));
    const rows = page.locator("tbody tr");

    await page.getByRole("row", { name: "Fleet 10000" }).waitFor();
    expect(await rows.count()).toBe(50);
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("row", { name: "Fleet 09950" }).waitFor();
    expect(await rows.count()).toBe(50);
    await page.getByLabel("Name").fill("Fleet 00042");
    await page.keyboard.press("Enter");
    await page.getByRole("row", { name: "Fleet 00042" }).waitFor();
    expect(await rows.count()).toBe(1);

    await page.keyboard.press("Control+k");
    await page.locator("[role=dialog] input:focus").waitFor();
    await page.keyboard.type("fleet 0777");
    const hits = page.getByRole("dialog").getByRole("button", { name: "Fleet" });
    const hit = hits.filter({ hasText: "Fleet 07777" });
    await hit.waitFor();
    // Ten accounts have such a name; a search finds eight of each kind.
    expect(await hits.count()).toBeLessThanOrEqual(8);
    await hit.click();
    await page.getByRole("heading", { name: "Fleet 07777" }).waitFor();

    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("row", { name: "$1,030.00" }).waitFor();
    expect(await rows.count()).toBe(50);
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("row", { name: "$1,029.50" }).waitFor();
    expect(await rows.count()).toBe(50);

    await page.getByRole("link", { name: "New order" }).click();
    const suggested = page.locator("datalist#account-names option");
    await suggested.first().waitFor({ state: "attached" });
    expect(await suggested.count()).toBe(100);
    await page.getByLabel("From your account").fill("fleet 04242");
    await page.locator("datalist option[value='Fleet 04242']").waitFor({ state: "attached" });
    // The newest 100, and what a search for the typed name finds.
    expect(await suggested.count()).toBeLessThanOrEqual(108);
    expect(Math.max(...limits)).toBeLessThanOrEqual(100);
    expect(shown.faults).toEqual([]);
    await shown.close();
  });
});
