/** The approval policy, as an admin changes it in a browser, and as another one lets a looser one through. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { holdAnswer } from "../hold-answer.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());

describe("the approval policy", () => {
  it("shows what changes; a stricter policy is in force at once, and a looser one waits for another admin", async () => {
    const { world } = dashboard;
    const payer = await world.payerNamed("Operating");
    await payer.pays(1_200_000);
    const shown = await dashboard.as("ada", "/policy");
    const { page } = shown;
    const threshold = page.getByLabel("One approval above");
    await threshold.waitFor();
    expect(await threshold.inputValue()).toBe("10,000.00");
    expect(await screenFaults(shown)).toEqual([]);

    await page.getByLabel("Two approvals above").fill("11,000");
    await page.getByText("Orders above $11,000.00 need two approvals.").waitFor();
    await page.getByText("1 waiting order would need more approvals").waitFor();
    await page.getByText("$12,000.00").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Apply policy" }).click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("The policy is in force.").waitFor();
    expect(await page.getByLabel("Two approvals above").inputValue()).toBe("11,000.00");

    await threshold.fill("20,000");
    await page.getByText("Something becomes looser, so another person must approve it.").waitFor();
    await page.getByRole("button", { name: "Propose policy" }).click();
    await page.getByText("It is proposed. Another person must approve it.").waitFor();
    await page.getByText("You proposed it, or would gain by it: another person must approve it.").waitFor();
    await expect.poll(() => page.getByRole("button", { name: /^Approve:/ }).isDisabled()).toBe(true);
    expect(await screenFaults(shown, [403])).toEqual([]);
    await shown.close();

    const other = await dashboard.as("omar", "/policy");
    await other.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await other.page.getByText("One approval above: $20,000.00").waitFor();
    await other.page.getByRole("button", { name: "curl approve" }).click();
    await other.page.getByText("Copied").waitFor();
    expect(await other.page.evaluate("navigator.clipboard.readText()")).toMatch(
      /^curl -s -X POST '.*\/v1\/approval-policy\/proposals\/prop_\w+\/approve'/,
    );
    await other.page.getByRole("button", { name: /^Approve:/ }).click();
    await other.page.getByRole("button", { name: "Add a passkey" }).click();
    await other.page.getByText("Approved by omar").waitFor();
    await other.page.getByRole("button", { name: /^Approve:/ }).waitFor({ state: "hidden" });
    expect(await other.page.getByLabel("One approval above").inputValue()).toBe("20,000.00");
    expect(await screenFaults(other, [403])).toEqual([]);
    await other.close();
  });

  it("can be read, and not changed, without the scope", async () => {
    const shown = await dashboard.as("vera", "/policy");
    await shown.page.getByText("You may read the policy, but not change it.").waitFor();
    expect(await shown.page.getByLabel("One approval above").isEditable()).toBe(false);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("begins again with the policy that somebody else has put into force", async () => {
    const { world } = dashboard;
    const shown = await dashboard.as("ada", "/policy");
    const { page } = shown;
    await page.getByLabel("Two approvals above").fill("9,000");
    const { body: policy } = await world.get<object>("/v1/approval-policy");
    await world.send(world.tenant.keys.admin, "PUT", "/v1/approval-policy", {
      body: { ...policy, dailyLimitCents: 90_000_000 },
    });
    await page
      .getByText("Another policy is in force since you opened this page. The form shows it.")
      .waitFor();
    expect(await page.getByLabel("Daily limit").inputValue()).toBe("900,000.00");
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("is sent once what it would change is shown, and not with the preview of an earlier text", async () => {
    const shown = await dashboard.as("ada", "/policy");
    const { page } = shown;
    const [amount, apply] = [
      page.getByLabel("Two approvals above"),
      page.getByRole("button", { name: "Apply policy" }),
    ];
    await amount.fill("8,000");
    await page.getByText("Orders above $8,000.00 need two approvals.").waitFor();
    await expect.poll(() => apply.isEnabled()).toBe(true);
    const sent: string[] = [];
    page.on("request", (request) => sent.push(new URL(request.url()).pathname));
    const release = await holdAnswer(page, "/v1/approval-policy/preview");
    await amount.fill("800");
    await amount.press("Enter");
    await expect.poll(() => apply.isDisabled()).toBe(true);
    release();
    await page.getByText("Orders above $800.00 need two approvals.").waitFor();
    await expect.poll(() => apply.isEnabled()).toBe(true);
    expect(sent).not.toContain("/auth/step-up");
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("says that an amount can't be read", async () => {
    const shown = await dashboard.as("ada", "/policy");
    await shown.page.getByLabel("Daily limit").fill("a lot");
    await shown.page.getByText("An amount in dollars, such as 10,000.00").waitFor();
    await expect.poll(() => shown.page.getByRole("button", { name: "Apply policy" }).isDisabled()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });
});
