/** What the screens say of the book's proof. The proof is the test's: `frozen-books.spec.ts` freezes a real book. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());

const proven = {
  status: "Proven",
  asOf: "2026-11-24T09:30:00.000Z",
  lastSequence: 2,
  headHash: "5f".repeat(32),
  trialBalance: [],
  equation: { heldCents: 5_000, owedCents: 5_000, differenceCents: 0 },
  lastSeal: null,
  audit: { auditedSequence: 2, auditedAt: "2026-11-24T09:30:00.000Z", passedAt: null },
  frozenAt: null,
  faults: [],
};

const answerProof = (page: Page, changes: object) =>
  page.route("**/v1/ledger/proof", (route) => route.fulfill({ json: { ...proven, ...changes } }));

it("says of a frozen book what is closed, what stays open, and who opens it again", async () => {
  const shown = await dashboard.as("vera", "/orders");
  await answerProof(shown.page, { status: "Frozen", frozenAt: "2026-11-24T09:30:00.000Z" });
  await shown.page.reload();
  await shown.page.getByText("This book is frozen.").waitFor();
  await shown.page.getByText("New orders, submissions and postings are refused").waitFor();
  await shown.page.getByText("You can read everything.").waitFor();
  await shown.page.getByText("Books are frozen").waitFor();
  expect(await screenFaults(shown)).toEqual([]);
  await shown.close();
});

it("calls the audit late only after it has not come further for a minute", async () => {
  const shown = await dashboard.as("vera", "/orders");
  const { page } = shown;
  await answerProof(page, { status: "Pending", lastSequence: 3 });
  await page.clock.install();
  await page.reload();
  await page.getByText("Audit under way").waitFor();
  await page.clock.runFor(50_000);
  expect(await page.getByText("Audit is late").count()).toBe(0);
  await page.clock.runFor(45_000);
  await page.getByText("Audit is late").waitFor();
  await shown.discard();
});
