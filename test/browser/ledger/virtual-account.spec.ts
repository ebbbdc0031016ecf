/** The page of an account number of one's own: who has paid in, and how it is described, disabled and closed. */
import { describe, expect, it } from "vitest";
import type { VirtualAccount } from "../../../clients/typescript/types.gen.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { aVirtualAccount, received, sendsTo } from "../../world/inbound.ts";
import { until } from "../../stack/until.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Carrier settlements");

const numberFor = (name: string, more: object = {}) =>
  aVirtualAccount(world, { name, ledgerAccountName: "Carrier settlements", ...more });

async function read(id: string): Promise<VirtualAccount> {
  return (await world.get<VirtualAccount>(`/v1/virtual-accounts/${id}`)).body;
}

describe("the page of a virtual account", () => {
  it("shows who has paid in, leads to the payment and back, and copies number and ids", async () => {
    const { id, accountNumber } = await numberFor("Harbor Logistics");
    const payment = await received(world, await sendsTo(world, accountNumber, 120_050));
    const shown = await dashboard.as("vera", `/virtual-accounts/${id}`);
    const { page } = shown;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    for (const [name, text] of [
      ["Copy the account number", accountNumber],
      ["Copy the id", id],
    ] as const) {
      await page.getByRole("button", { name }).press("Enter");
      await page.getByText("Copied").waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(text);
    }
    for (const name of ["Describe…", "Disable…", "Close the number…"]) {
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    }
    const row = page.getByRole("row", { name: /Blue Freight LLC .*Attributed .*\$1,200\.50/ });
    await row.waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await row.getByRole("link").press("Enter");
    await page.waitForURL(new RegExp(payment.id));
    await page.getByRole("link", { name: "Harbor Logistics" }).press("Enter");
    await page.waitForURL(new RegExp(id));
    await page
      .getByText("Incoming money goes to")
      .getByRole("link", { name: "Carrier settlements" })
      .press("Enter");
    await page.waitForURL(new RegExp(payer.accountId));
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("changes the description and removes it", async () => {
    const { id } = await numberFor("Described", { description: "Before" });
    const shown = await dashboard.as("maya", `/virtual-accounts/${id}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Describe…" }).press("Enter");
    const field = page.getByRole("textbox", { name: "Description" });
    expect(await field.inputValue()).toBe("Before");
    await field.fill("After");
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Save" }).press("Enter");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.getByText("After").waitFor();
    expect((await read(id)).description).toBe("After");
    await page.getByRole("button", { name: "Describe…" }).press("Enter");
    await field.fill("");
    await page.getByRole("button", { name: "Save" }).press("Enter");
    await page.getByText("After").waitFor({ state: "hidden" });
    expect((await read(id)).description).toBeNull();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("leads to the simulator, which sends to this number", async () => {
    await numberFor("Another");
    const { id, accountNumber } = await numberFor("Asked for");
    const shown = await dashboard.as("maya", `/virtual-accounts/${id}`);
    await shown.page.getByRole("link", { name: "Send test money in" }).click();
    await shown.page.waitForURL(`**/simulator?virtualAccountId=${id}`);
    const filled = () => shown.page.locator(`input[list="own-numbers"]`).inputValue();
    await until("the number", async () => (await filled()) === accountNumber);
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("disables and enables the number, and says before where its money goes", async () => {
    const { id, accountNumber } = await numberFor("Paused");
    const shown = await dashboard.as("maya", `/virtual-accounts/${id}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Disable…" }).click();
    await page
      .getByText("Money sent to this number will still arrive, and go to Suspense, until you enable it")
      .waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    expect((await read(id)).status).toBe("Active");
    await page.getByRole("button", { name: "Disable the number" }).click();
    await page.getByText("Money sent to this number still arrives, and goes to Suspense.").waitFor();
    expect((await read(id)).status).toBe("Disabled");
    await received(world, await sendsTo(world, accountNumber, 7_700));
    await page.getByRole("row", { name: /In Suspense number disabled .*\$77\.00/ }).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("link", { name: "See what is in Suspense" }).click();
    await page.waitForURL(/inbound\?.*status=Suspended/);
    await page.getByRole("link", { name: "Paused" }).waitFor();
    await page.getByRole("row", { name: /\$77\.00/ }).waitFor();
    expect(await page.getByRole("row", { name: /\$/ }).count()).toBe(1);
    expect(await screenFaults(shown)).toEqual([]);

    await page.getByRole("link", { name: "Paused" }).click();
    await page.getByRole("button", { name: "Enable…" }).click();
    await page.getByText("What is in Suspense already stays there until you assign it.").waitFor();
    await page.getByRole("button", { name: "Enable the number" }).click();
    await page.getByText("Money sent to this number still arrives").waitFor({ state: "hidden" });
    expect((await read(id)).status).toBe("Active");
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("closes the number for good, by the keyboard alone", async () => {
    const { id } = await numberFor(`<img src=x onerror=alert(1)>${"W".repeat(72)}`);
    const shown = await dashboard.as("maya", `/virtual-accounts/${id}`);
    const { page } = shown;
    const open = page.getByRole("button", { name: "Close the number…" });
    await open.press("Enter");
    await page.getByText("This is final: the number can't be opened again").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    // A second Enter goes back.
    await page.locator("[role=dialog] button:focus").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    expect((await read(id)).status).toBe("Active");
    await page.keyboard.press("Enter");
    const focused = page.locator("[role=dialog] button:focus");
    await focused.waitFor();
    while ((await focused.innerText()) !== "Close for good") await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Closed for good.").waitFor();
    expect((await read(id)).status).toBe("Closed");
    expect(await open.count()).toBe(0);
    await page.locator("button:focus", { hasText: "Describe…" }).waitFor();
    expect(await page.getByRole("button", { name: /able…/ }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Describe…" }).isEnabled()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("says that the money goes to Suspense where the ledger account is closed", async () => {
    const closing = await world.payerNamed("Closing");
    const { id } = await numberFor("Of a closed account", { ledgerAccountName: "Closing" });
    await world.post(`/v1/ledger-accounts/${closing.accountId}/close`, {});
    const shown = await dashboard.as("vera", `/virtual-accounts/${id}`);
    await shown.page.getByText("Its ledger account is closed.").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("tells the second of two people what has already happened to the number", async () => {
    const { id } = await numberFor("Closed meantime");
    const shown = await dashboard.as("maya", `/virtual-accounts/${id}`);
    const { page } = shown;
    await page.getByRole("button", { name: "Disable…" }).click();
    await world.post(`/v1/virtual-accounts/${id}/close`, {});
    await page.getByRole("button", { name: "Disable the number" }).click();
    await page.getByText("A Closed virtual account cannot be opened again.").waitFor();
    await page.getByText("Closed for good.").waitFor();
    expect(await screenFaults(shown, [409])).toEqual([]);
    await shown.close();
  });

  it("is one page for a wrong id and for a virtual account of another book", async () => {
    const shown = await dashboard.as("vera", "/virtual-accounts/va_01m80104nre2btytj23x2xz26p");
    await shown.page.getByText("There is no such page").waitFor();
    expect(await screenFaults(shown, [404])).toEqual([]);
    await shown.close();
  });
});
