/** What the screens of inbound payments and virtual accounts show while something loads, is away or is refused. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { aNumber, received, sendsTo } from "../../world/inbound.ts";
import { Dashboard } from "../dashboard.ts";
import { forbidden, unavailable } from "../problems.ts";
import { screenFaults } from "../screen-faults.ts";
import { tryAgain } from "../try-again.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Operating");
const first = await aNumber(world, payer.accountId, "first");
const second = await aNumber(world, payer.accountId, "second");
const payment = await received(world, await sendsTo(world, first.accountNumber, 12_345));
await received(world, await sendsTo(world, first.accountNumber, 54_321));

const screens = [
  { path: "/inbound", request: "**/v1/inbound-payments?*", content: "$123.45" },
  {
    path: `/inbound/${payment.id}`,
    request: `**/v1/inbound-payments/${payment.id}`,
    content: "The money was booked on the number's account",
  },
  { path: "/virtual-accounts", request: "**/v1/virtual-accounts?*", content: "••••" },
  {
    path: `/virtual-accounts/${first.id}`,
    request: `**/v1/virtual-accounts/${first.id}`,
    content: first.accountNumber,
  },
];

describe.each(screens)("$path", ({ path, request, content }) => {
  it("keeps its layout while it loads, and says what failed and tries again", async () => {
    const shown = await dashboard.as("vera", "/orders");
    const { page } = shown;
    let answer = (): void => undefined;
    const isAnswered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(request, async (route) => {
      await isAnswered;
      await route.fulfill(unavailable);
    });
    await shown.goto(dashboard.url(path));
    await page.getByLabel("Loading").first().waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    answer();
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await page.getByText("req_01jd3k60a2f8x9t4c1v5b7w3me").waitFor();
    expect(await screenFaults(shown, [503])).toEqual([]);
    await page.unroute(request);
    await tryAgain(page, page.getByText(content).first());
    await shown.close();
  });

  it("stays as it was read, with its time, while its service is away, and is refused to a person without the scope", async () => {
    const shown = await dashboard.as("vera", path);
    const { page } = shown;
    await page.getByText(content).first().waitFor();
    await page.route(request, (route) => route.fulfill(unavailable));
    // The page hears of it, and reads again.
    await sendsTo(world, second.accountNumber, 100);
    await page.getByText("What you see is as it was at").waitFor();
    expect(await page.getByText(content).first().isVisible()).toBe(true);
    expect(await screenFaults(shown, [503])).toEqual([]);
    await page.route(request, (route) => route.fulfill(forbidden));
    await page.reload();
    await page.getByRole("heading", { name: "You may not see this" }).waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(await screenFaults(shown, [503, 403])).toEqual([]);
    await shown.close();
  });
});

describe.each(screens.filter(({ path }) => !path.includes("_")))("$path", ({ path, request }) => {
  it("is read page by page, newest first, and back", async () => {
    const shown = await dashboard.as("vera", "/orders");
    const { page } = shown;
    const readsOne = (url: string) => url.replace(/limit=\d+/, "limit=1");
    await page.route(request, (route) => route.continue({ url: readsOne(route.request().url()) }));
    await shown.goto(dashboard.url(path));
    const link = page.getByRole("row").getByRole("link");
    await link.waitFor();
    const newest = await link.getAttribute("href");
    await page.getByRole("button", { name: "Next" }).press("Enter");
    await page.waitForURL(/pages=/);
    await page.locator(`a.row-link:not([href="${newest ?? ""}"])`).waitFor();
    expect(await link.count()).toBe(1);
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Previous" }).press("Enter");
    await page.locator(`a.row-link[href="${newest ?? ""}"]`).waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });
});
