/** People and their roles, as an admin changes them in a browser, and as another one lets roles through. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import type { WatchedPage } from "../browser.ts";
import { Dashboard } from "../dashboard.ts";
import { holdAnswer } from "../hold-answer.ts";
import { repeatAnswer } from "../repeat-answer.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());

/** Whoever signs in with a password that an admin has seen sets another before the first passkey. */
async function addsPasskey(shown: WatchedPage, firstPassword: string): Promise<void> {
  const { page } = shown;
  await page.getByRole("button", { name: /· rosa/ }).click();
  await page.getByRole("menuitem", { name: "Passkeys…" }).click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("Set a password of your own first").waitFor();
  expect(await screenFaults(shown, [403])).toEqual([]);
  await page.getByRole("button", { name: "Change your password" }).last().click();
  await page.getByLabel("Current password").fill(firstPassword);
  await page.getByLabel("New password").fill("a sentence of her own");
  await page.getByRole("button", { name: "Change it" }).click();
  await page.getByText("Your password is changed.").waitFor();
  await page.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("button", { name: "Remove This device" }).waitFor();
  await page.getByRole("button", { name: "Close" }).click();
}

describe("the people", () => {
  it("are added with a password that is shown once, get roles that another admin lets through, and are suspended", async () => {
    const shown = await dashboard.as("ada", "/people");
    const { page } = shown;
    await page.getByText("ada@", { exact: false }).first().waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Add a person" }).click();
    await page.getByLabel("Name").fill("Rosa Delgado");
    await page.getByLabel("Email").fill("rosa@new.example");
    expect(await page.getByLabel("Acts as").inputValue()).toBe("rosa");
    await page.getByLabel("Maker").check();
    await page.getByLabel("Approver").check();
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "Add the person" }).click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    const password = (await page.getByLabel("First password").textContent()) ?? "";
    await page
      .getByText("Some of the roles wait until another admin approves them under Approvals.")
      .waitFor();
    await page.keyboard.press("Escape");
    expect(await screenFaults(shown, [403])).toEqual([]);
    await page.getByRole("button", { name: "I have it" }).click();
    const row = page.getByRole("row", { name: /Rosa Delgado/ });
    await row.getByText("Maker (waits for approval)").waitFor();
    await row.getByText("Approver (waits for approval)").waitFor();
    await page.getByText("rosa becomes Maker, Approver").waitFor();
    // What is saved is complete, so the choices begin with the roles that wait.
    await row.getByRole("button").click();
    expect(await page.getByRole("checkbox", { name: "Approver" }).isChecked()).toBe(true);
    await expect.poll(() => page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => page.getByRole("button", { name: /^Approve:/ }).isDisabled()).toBe(true);

    const other = await dashboard.as("omar", "/people");
    await other.page.getByRole("button", { name: "Approve: rosa becomes Maker, Approver" }).click();
    await other.page.getByRole("button", { name: "Add a passkey" }).click();
    const seen = other.page.getByRole("row", { name: /Rosa Delgado/ });
    await seen.getByText("Approver", { exact: true }).waitFor();
    expect(await screenFaults(other, [403])).toEqual([]);
    await other.close();

    const rosa = await dashboard.asNobody("/sign-in");
    await rosa.page.getByLabel("Email").fill("rosa@new.example");
    await rosa.page.getByLabel("Password").fill(password);
    await rosa.page.getByRole("button", { name: "Sign in" }).click();
    await rosa.page.getByText("Approver, Maker · rosa").waitFor();
    const given = rosa.page.getByText("Somebody else has set your password, and knows it.");
    await given.waitFor();
    expect(await screenFaults(rosa)).toEqual([]);
    await addsPasskey(rosa, password);
    await given.waitFor({ state: "detached" });

    await row.getByText("Maker", { exact: true }).waitFor();
    await row.getByRole("button").click();
    await page.getByRole("checkbox", { name: "Maker" }).uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await rosa.page.getByText("Approver · rosa").waitFor();
    // The last answer that her page gets while it follows the book is from just before the role ends.
    await repeatAnswer(rosa.page, "/v1/me");
    await page.getByRole("checkbox", { name: "Approver" }).uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await rosa.page.getByRole("link", { name: "Switch to the live book" }).waitFor();
    // What was under way with the session before the new password got 401.
    expect(await screenFaults(rosa, [401, 403])).toEqual([]);
    await rosa.close();
    await page.getByRole("button", { name: "Suspend…" }).click();
    await page.getByRole("button", { name: "Suspend", exact: true }).click();
    await page.getByText("Suspended.").waitFor();
    await page.getByRole("button", { name: "Reactivate" }).waitFor();
    expect(await screenFaults(shown, [403])).toEqual([]);
    await page.getByRole("button", { name: "Reactivate" }).click();
    await page.getByText("Signs in again, without a role. Give roles here.").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await row.getByText("None").first().waitFor();
    await shown.close();
  });

  it("give up roles of their own, and get none", async () => {
    const shown = await dashboard.as("omar", "/people");
    const { page } = shown;
    await page.getByRole("row", { name: /You/ }).getByRole("button").click();
    await page
      .getByText("You can remove your own roles. Only another admin can give you a new one.")
      .waitFor();
    await expect.poll(() => page.getByLabel("Maker").isDisabled()).toBe(true);
    expect(await page.getByLabel("Approver").isEnabled()).toBe(true);
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("are no screen of somebody who may not change them, and nor is the audit log", async () => {
    const shown = await dashboard.as("maya", "/people");
    await shown.page.getByText("You may not see this").waitFor();
    expect(await shown.page.getByRole("link", { name: "People" }).count()).toBe(0);
    expect(await shown.page.getByRole("link", { name: "Audit log" }).count()).toBe(0);
    expect(await screenFaults(shown, [403])).toEqual([]);
    await shown.close();
  });
});

describe("the audit log", () => {
  it("lists who did what, from where", async () => {
    const settings = { url: "http://127.0.0.1:9/hooks" };
    const { body: endpoint } = await dashboard.world.post<{ id: string }>("/v1/webhook-endpoints", settings);
    const shown = await dashboard.as("ada", "/audit-log");
    const made = shown.page.getByRole("row", { name: /Created a webhook endpoint/ });
    await made.getByRole("link", { name: endpoint.id }).click();
    await shown.page.waitForURL(`**/webhooks/endpoints/${endpoint.id}`);
    await shown.page.goBack();
    await shown.page
      .getByRole("row", { name: /Signed in/ })
      .first()
      .waitFor();
    await shown.page.getByText("127.0.0.1").first().waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.page.getByRole("button", { name: "Signed in" }).first().click();
    await shown.page.getByText(/^req_/).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.page.getByRole("link", { name: "All by ada" }).click();
    expect(new URL(shown.page.url()).search).toBe("?actor=ada");
    await shown.page
      .getByRole("row", { name: /operator/ })
      .first()
      .waitFor({ state: "detached" });
    await shown.page.getByLabel("Done by").fill("nobody");
    await shown.page.keyboard.press("Enter");
    await shown.page.getByText("Nothing fits").waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.page.getByRole("button", { name: "Clear" }).click();
    await shown.page
      .getByRole("row", { name: /Invited a person/ })
      .first()
      .waitFor();
    await shown.close();
  });
});

describe("the menu of the person", () => {
  it("lists the own sessions, and ends the others", async () => {
    const shown = await dashboard.as("noor", "/orders");
    const elsewhere = await dashboard.as("noor", "/orders");
    const { page } = shown;
    await page.getByRole("button", { name: /Noor Rahman/ }).click();
    await page.getByRole("menuitem", { name: "Sessions…" }).click();
    await page.getByText("This one").waitFor();
    expect(await page.getByRole("button", { name: /^End Chrome/ }).count()).toBe(1);
    expect(await screenFaults(shown)).toEqual([]);
    await page.getByRole("button", { name: "End all others" }).click();
    await page.getByRole("button", { name: "End all others" }).waitFor({ state: "hidden" });
    await elsewhere.page.getByRole("heading", { name: "Sign in to Quittance" }).waitFor();
    await elsewhere.close();
    await page.getByRole("button", { name: "Close" }).click();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });

  it("changes the own password, and says that the current one was wrong", async () => {
    const shown = await dashboard.as("vic", "/orders");
    const { page } = shown;
    const { email, password } = await dashboard.credentialsOf("vic");
    await page.getByRole("button", { name: /Vic Moreau/ }).click();
    await page.getByRole("menuitem", { name: "Password…" }).click();
    await page.getByLabel("Current password").fill("not it");
    await page.getByLabel("New password").fill("correct horse battery");
    await page.getByRole("button", { name: "Change it" }).click();
    await page.getByText("This is not your current password.").waitFor();
    await page.getByLabel("Current password").fill(password);
    await page.getByRole("button", { name: "Change it" }).click();
    await page.getByText("Your password is changed.").waitFor();
    expect(await screenFaults(shown, [401])).toEqual([]);
    await shown.close();

    const again = await dashboard.asNobody("/sign-in");
    await again.page.getByLabel("Email").fill(email);
    await again.page.getByLabel("Password").fill("correct horse battery");
    await again.page.getByRole("button", { name: "Sign in" }).click();
    await again.page.getByText("Approver · vic").waitFor();
    await again.close();
  });

  it("changes the own password, and leads no tab to the sign-in while the new session is on its way", async () => {
    const shown = await dashboard.as("vera", "/orders");
    const { page } = shown;
    const tabs = [page, await page.context().newPage()];
    await tabs[1]?.goto(page.url());
    const { password } = await dashboard.credentialsOf("vera");
    const release = await holdAnswer(page, "/auth/password");
    const endedIn = tabs.map((tab) => tab.waitForResponse((answer) => answer.status() === 401));
    await page.getByRole("button", { name: /Vera Sato/ }).click();
    await page.getByRole("menuitem", { name: "Password…" }).click();
    await page.getByLabel("Current password").fill(password);
    await page.getByLabel("New password").fill("correct horse battery");
    await page.getByRole("button", { name: "Change it" }).click();
    await Promise.all(endedIn);
    for (const tab of tabs) expect(await tab.evaluate(statusOfMe)).toBe(401);
    release();
    await page.getByText("Your password is changed.").waitFor();
    for (const tab of tabs) {
      expect(await tab.evaluate(statusOfMe)).toBe(200);
      expect(new URL(tab.url()).pathname).toBe("/test/orders");
    }
    await shown.close();
  });
});

/** Runs in the page. */
async function statusOfMe(): Promise<number> {
  const { status } = await fetch("/v1/me", { headers: { "Quittance-Mode": "Test" } });
  return status;
}
