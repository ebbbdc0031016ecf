/** API keys, as a developer makes and ends them in a browser, and as an admin lets one through. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());
const statusWith = async (key: string) =>
  (await fetch(`${dashboard.world.baseUrl()}/v1/api-keys/me`, { headers: { "X-API-Key": key } })).status;

describe("the API keys", () => {
  it("are made, shown once, rotated and revoked", async () => {
    const shown = await dashboard.as("maya", "/api-keys");
    const { page } = shown;
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Payroll server");
    expect(await page.getByLabel("Acts as").inputValue()).toBe("maya");
    const submit = page.getByRole("button", { name: "Create the key" });
    await expect.poll(() => submit.isDisabled()).toBe(true);
    await page.getByLabel("Read orders and the policy").check();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByLabel("Only from these addresses").fill("nowhere");
    await submit.click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("These are neither: nowhere.").first().waitFor();
    await page.getByLabel("Only from these addresses").fill("127.0.0.1\n::1");
    await submit.click();
    const secret = page.getByLabel("The API key");
    const key = (await secret.textContent()) ?? "";
    expect(await statusWith(key)).toBe(200);
    await page.keyboard.press("Escape");
    expect(await secret.isVisible()).toBe(true);
    expect(await screenFaults(shown, [403, 400])).toEqual([]);
    await page.getByRole("button", { name: "I have kept it" }).click();

    await page.getByRole("button", { name: "Payroll server" }).click();
    await page.getByText("127.0.0.1, ::1").waitFor();
    expect(await screenFaults(shown, [403, 400])).toEqual([]);
    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByLabel("The old key works for").selectOption("0");
    await page.getByRole("button", { name: "Rotate the key" }).click();
    const second = (await secret.textContent()) ?? "";
    expect([await statusWith(key), await statusWith(second)]).toEqual([401, 200]);
    await page.getByRole("button", { name: "I have kept it" }).click();

    const successor = page.getByRole("row", { name: second.slice(-4) });
    await successor.getByRole("button", { name: "Payroll server" }).click();
    await page.getByRole("button", { name: "Revoke…" }).click();
    await page.getByRole("button", { name: "Revoke the key" }).click();
    await page.getByText("The key is revoked.").waitFor();
    expect(await statusWith(second)).toBe(401);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Payroll server" }).waitFor({ state: "hidden" });
    await page.getByLabel("Which keys").selectOption("Ended");
    await page.getByText("Revoked").first().waitFor();
    expect(await page.getByRole("button", { name: "Payroll server" }).count()).toBe(2);
    expect(new URL(page.url()).search).toBe("?show=ended");
    expect(await screenFaults(shown, [403, 400])).toEqual([]);
    await shown.close();
  });

  it("that decide on others' work wait for another person, who lets them through", async () => {
    const proposer = await dashboard.as("omar", "/api-keys");
    const { page } = proposer;
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Key keeper");
    await page.getByLabel("Make, revoke and approve API keys").check();
    await page.getByRole("button", { name: "Create the key" }).click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    const key = (await page.getByLabel("The API key").textContent()) ?? "";
    await page.getByText("It works once another person approves it.").waitFor();
    await page.getByRole("button", { name: "I have kept it" }).click();
    await page.getByText("You proposed it, or would gain by it: another person must approve it.").waitFor();
    await expect.poll(() => page.getByRole("button", { name: /^Approve:/ }).isDisabled()).toBe(true);
    expect(await statusWith(key)).toBe(401);
    expect(await screenFaults(proposer, [403])).toEqual([]);

    const other = await dashboard.as("ada", "/api-keys");
    await other.page
      .getByText("It has keys:write. May do: Make, revoke and approve API keys. From anywhere. Expires on")
      .waitFor();
    await other.page.getByRole("button", { name: "Approve: Key keeper, for omar" }).click();
    await other.page.getByRole("button", { name: "Add a passkey" }).click();
    await other.page.getByText("Keys that wait for another person").waitFor({ state: "hidden" });
    expect(await statusWith(key)).toBe(200);
    expect(await screenFaults(other, [403])).toEqual([]);
    await other.close();
    await proposer.close();
  });

  it("are no screen of somebody who may not change them", async () => {
    const shown = await dashboard.as("vera", "/api-keys");
    await shown.page.getByText("You may not see this").waitFor();
    expect(await shown.page.getByRole("link", { name: "API keys" }).count()).toBe(0);
    expect(await shown.page.getByRole("button", { name: "Create a key" }).count()).toBe(0);
    expect(await screenFaults(shown, [403])).toEqual([]);
    await shown.close();
  });
});
