/** Each screen of a book in which nothing has happened yet. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());

const screens = [
  { path: "/approvals", title: "Approvals", says: "Nothing waits for you" },
  { path: "/orders", title: "Orders", says: "No orders yet" },
  { path: "/webhooks", title: "Webhooks", says: "Nothing sent yet" },
  { path: "/webhooks/replays", title: "Webhooks", says: "No replays yet" },
  { path: "/webhooks/sinks", title: "Webhooks", says: "No test sinks yet" },
  { path: "/simulator/rules", title: "Simulator", says: "No rules yet" },
  { path: "/simulator/log", title: "Simulator", says: "Nothing has been done yet" },
  { path: "/counterparties", title: "Counterparties", says: "No counterparties yet" },
  { path: "/inbound", title: "Inbound", says: "Nothing has come in yet" },
  { path: "/obligations", title: "Obligations", says: "No obligations yet" },
  { path: "/requests", title: "Requests", says: "Nothing was refused" },
  { path: "/ledger", title: "Ledger", says: "No accounts yet" },
  { path: "/virtual-accounts", title: "Virtual accounts", says: "No virtual accounts yet" },
  { path: "/reconciliation", title: "Reconciliation", says: "No runs yet" },
];

describe("a new book", () => {
  for (const { path, title, says } of screens) {
    it(`says on ${path} what would be here`, async () => {
      const shown = await dashboard.as("maya", path);
      const { page } = shown;
      await page.getByText(says).waitFor();
      expect(await page.title()).toBe(`${title} · Quittance (TEST)`);
      expect(await page.getByText("TEST", { exact: true }).isVisible()).toBe(true);
      expect(await screenFaults(shown)).toEqual([]);
      await shown.close();
    });
  }
});
