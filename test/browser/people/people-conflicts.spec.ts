/** What an admin may save of a person whose roles another admin changes, or whose proposals are not all read. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import type { WatchedPage } from "../browser.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
await dashboard.credentialsOf("vera");

async function opened({ page }: WatchedPage, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("dialog", { name }).waitFor();
}

describe("the sheet of a person", () => {
  it("saves nothing over the roles that another admin gave since it was opened", async () => {
    const shown = await dashboard.as("ada", "/people");
    const other = await dashboard.as("omar", "/people");
    const { page } = shown;
    const box = (name: string) => page.getByRole("checkbox", { name });
    const save = page.getByRole("button", { name: "Save" });
    await opened(shown, "Vera Sato");
    await box("Developer").check();
    await expect.poll(() => save.isEnabled()).toBe(true);

    await opened(other, "Vera Sato");
    await other.page.getByRole("checkbox", { name: "Maker" }).check();
    await other.page.getByRole("button", { name: "Save" }).click();
    await other.page.getByRole("button", { name: "Add a passkey" }).click();
    await other.page.getByText("Saved. Another admin must approve: Maker.").waitFor();
    expect(await other.page.getByText("It has changed since you opened this").count()).toBe(0);
    await other.close();

    await page.getByText("Maker was added").waitFor();
    expect(await save.isDisabled()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Show the current roles" }).click();
    expect([await box("Maker").isChecked(), await box("Developer").isChecked()]).toEqual([true, false]);
    await box("Developer").check();
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await save.click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("Saved. Another admin must approve: Maker, Developer.").waitFor();
    expect((await sent).headers()["if-match"]).toMatch(/^"\d+"$/);
    await page.getByRole("button", { name: "Close" }).click();
    const row = page.getByRole("row", { name: /Vera Sato/ });
    for (const role of ["Maker", "Developer"]) await row.getByText(`${role} (waits for approval)`).waitFor();
    await shown.close();
  });

  it("saves no roles while proposals wait that may be the person's and are not read", async () => {
    const shown = await dashboard.as("ada", "/orders");
    const { page } = shown;
    await dashboard.credentialsOf("noor");
    await page.route("**/v1/inbox", async (route) => {
      const request = route.request();
      const headers = { ...(await request.allHeaders()), "sec-fetch-site": "same-origin" };
      const answer = await fetch(request.url(), { headers });
      const inbox = (await answer.json()) as { roleProposals: object };
      await route.fulfill({
        json: { ...inbox, roleProposals: { ...inbox.roleProposals, hasMore: true } },
      });
    });
    await page.goto(dashboard.url("/people"));
    await opened(shown, "Noor Rahman");
    await page.getByRole("checkbox", { name: "Developer" }).check();
    await page.getByText("More roles wait for approval than are read here").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });
});
