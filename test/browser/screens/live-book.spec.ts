/** The Live book in a browser, as somebody who has roles there alone. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const liveUrl = (path: string) => dashboard.url(path).replace("/test/", "/live/");

const screens = [
  { path: "/approvals", says: "Nothing waits for you" },
  { path: "/orders", says: "No orders yet" },
  { path: "/orders/new", says: "nothing is created yet" },
  { path: "/ledger", says: "No accounts yet" },
  { path: "/webhooks", says: "Nothing sent yet" },
  { path: "/people", says: "Lia Berg" },
];

describe("the Live book", () => {
  for (const { path, says } of screens) {
    it(`shows ${path} without the bar of the Test book`, async () => {
      const shown = await dashboard.as("lia", path);
      const { page } = shown;
      await shown.goto(liveUrl(path));
      await page.getByText(says).first().waitFor();
      await page.getByText("No journals yet").waitFor();
      expect(await page.title()).toMatch(/ · Quittance$/);
      expect(await page.getByText("LIVE", { exact: true }).isVisible()).toBe(true);
      expect(await page.getByText("TEST", { exact: true }).count()).toBe(0);
      // The Test book, which opens first, refuses somebody without a role there.
      expect(await screenFaults(shown, [403])).toEqual([]);
      await shown.close();
    });
  }

  it.each(["/simulator", "/simulator/log", "/webhooks/sinks"])("has no %s", async (path) => {
    const shown = await dashboard.as("lia", "/orders");
    await shown.goto(liveUrl(path));
    await shown.page.getByText("There is no such page").waitFor();
    expect(await shown.page.getByRole("link", { name: "Simulator" }).count()).toBe(0);
    await shown.close();
  });
});
