/** Why was I refused? A developer's answer, in a real browser. */
import { describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { forbidden, unavailable } from "../problems.ts";
import { screenFaults } from "../screen-faults.ts";
import { tryAgain } from "../try-again.ts";

const dashboard = await forThisFile(Dashboard.open());
/** The list, and its summary by code. */
const lists = "**/v1/requests?*";
const summary = "**/v1/requests/summary";
const isStale = "What you see is as it was at";

/** Lets somebody's page send a request for each path that is refused. */
async function refuse(page: Page, ...paths: readonly string[]): Promise<void> {
  await page.evaluate(async (refused) => {
    for (const path of refused) await fetch(path, { headers: { "quittance-mode": "Test" } });
  }, paths);
}

describe("the requests", () => {
  it("show why and by whom a request was refused, by code and one by one, without its ids", async () => {
    const shown = await dashboard.as("maya", "/requests");
    const { page } = shown;
    await refuse(page, "/v1/payment-orders/po_01jd3k5s8ye9v8z2r0q3m7n4xa", "/v1/people");
    await page.getByRole("link", { name: "The caller lacks a scope" }).waitFor();
    await page.getByText("GET /v1/payment-orders/{id}").waitFor();
    expect(await page.getByText("po_01jd3k5s8ye9v8z2r0q3m7n4xa").count()).toBe(0);
    expect(await screenFaults(shown, [403, 404])).toEqual([]);
    await page.getByRole("link", { name: "The caller lacks a scope" }).click();
    await page.getByText("GET /v1/payment-orders/{id}").waitFor({ state: "hidden" });
    expect(await page.getByText("GET /v1/people").isVisible()).toBe(true);
    expect(page.url()).toContain("code=insufficient_scope");
    await page
      .getByRole("cell", { name: /The caller lacks a scope/ })
      .first()
      .waitFor();
    const explained = page.getByRole("link", { name: "What insufficient_scope means" });
    expect(await explained.getAttribute("href")).toBe("/errors/insufficient_scope");
    await page.getByLabel("Status").selectOption("5xx");
    await page.getByText("Nothing fits").waitFor();
    await shown.close();
  });

  it("show a code that is newer than the page", async () => {
    const shown = await dashboard.as("maya", "/requests");
    const { page } = shown;
    await refuse(page, "/v1/people");
    await page.getByText("GET /v1/people").first().waitFor();
    const read = (path: string) =>
      page.evaluate(
        async (asked) => (await fetch(asked, { headers: { "quittance-mode": "Test" } })).text(),
        path,
      );
    for (const [pattern, path] of [
      [lists, "/v1/requests?limit=5"],
      [summary, "/v1/requests/summary"],
    ] as const) {
      const body = (await read(path)).replaceAll("insufficient_scope", "newer_than_the_page");
      await page.route(pattern, (route) => route.fulfill({ contentType: "application/json", body }));
    }
    await page.reload();
    await page.getByRole("link", { name: "newer_than_the_page", exact: true }).waitFor();
    await page.getByRole("link", { name: "What newer_than_the_page means" }).first().waitFor();
    expect(await screenFaults(shown, [403])).toEqual([]);
    await shown.close();
  });

  it("say what failed, and try again all that failed at once", async () => {
    const shown = await dashboard.as("maya", "/orders");
    const { page } = shown;
    await refuse(page, "/v1/people");
    await page.route(summary, (route) => route.fulfill(unavailable));
    await shown.goto(dashboard.url("/requests"));
    await page.getByText("GET /v1/people").first().waitFor();
    const again = page.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await page.getByText("req_01jd3k60a2f8x9t4c1v5b7w3me").waitFor();
    expect(await screenFaults(shown, [403, 503])).toEqual([]);

    await page.route(lists, (route) => route.fulfill(unavailable));
    await page.reload();
    await again.waitFor();
    expect(await again.count()).toBe(1);
    await page.unrouteAll();
    await tryAgain(page, page.getByRole("link", { name: "The caller lacks a scope" }));
    await page.getByText("GET /v1/people").first().waitFor();
    expect(await again.count()).toBe(0);
    await shown.close();
  });

  it("stay with their time while they can't be read, and are read again by themselves", async () => {
    const shown = await dashboard.as("maya", "/orders");
    const { page } = shown;
    await refuse(page, "/v1/people");
    await shown.goto(dashboard.url("/requests"));
    await page.getByText("GET /v1/people").first().waitFor();
    for (const list of [lists, summary]) await page.route(list, (route) => route.fulfill(unavailable));
    await page.getByText(isStale).waitFor();
    expect(await page.getByText("GET /v1/people").first().isVisible()).toBe(true);
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await screenFaults(shown, [403, 503])).toEqual([]);
    await page.unrouteAll();
    await page.getByText(isStale).waitFor({ state: "hidden" });
    await shown.close();
  });

  it("say once that a person may not see them, and offer no second try", async () => {
    const shown = await dashboard.as("vera", "/orders");
    const { page } = shown;
    for (const list of [lists, summary]) await page.route(list, (route) => route.fulfill(forbidden));
    await shown.goto(dashboard.url("/requests"));
    await page.getByRole("heading", { name: "You may not see this" }).waitFor();
    await page.getByText("Ask an admin for a role with the scope webhooks:read").waitFor();
    expect(await page.getByRole("alert").count()).toBe(1);
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(await screenFaults(shown, [403])).toEqual([]);
    await shown.close();
  });

  it("are read page by page, newest first, and back", async () => {
    const shown = await dashboard.as("vera", "/orders");
    const { page } = shown;
    await refuse(page, "/v1/people", "/v1/audit-log", "/v1/api-keys");
    const readsOne = (url: string) => url.replace(/limit=\d+/, "limit=1");
    await page.route(lists, (route) => route.continue({ url: readsOne(route.request().url()) }));
    await shown.goto(dashboard.url("/requests"));
    await page.getByText("GET /v1/api-keys").waitFor();
    const next = page.getByRole("button", { name: "Next" });
    await next.press("Enter");
    await page.getByText("GET /v1/audit-log").waitFor();
    expect(await screenFaults(shown, [403])).toEqual([]);
    await next.press("Enter");
    await page.getByText("GET /v1/people").waitFor();
    await page.getByRole("button", { name: "Previous" }).press("Enter");
    await page.getByText("GET /v1/audit-log").waitFor();
    expect(await page.getByRole("row", { name: /GET / }).count()).toBe(1);
    await shown.close();
  });
});
