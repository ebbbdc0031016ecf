/** How a person gets in and out in a browser. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { screenFaults } from "../screen-faults.ts";

const dashboard = await forThisFile(Dashboard.open());

describe("signing in", () => {
  it("leads to the page that was asked for, with the keyboard alone", async () => {
    const { email, password } = await dashboard.credentialsOf("vera");
    const shown = await dashboard.asNobody("/orders?rail=Wire");
    const { page } = shown;
    await page.getByRole("heading", { name: "Sign in to Quittance" }).waitFor();
    expect(await screenFaults(shown, [401])).toEqual([]);
    await page.keyboard.press("Tab");
    await page.keyboard.type(email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Orders" }).waitFor();
    expect(new URL(page.url()).search).toBe("?rail=Wire");
    expect(await page.getByText("Vera Sato").isVisible()).toBe(true);
    await shown.close();
  });

  it("says that it failed, and not whether the email, the password or the tenant was wrong", async () => {
    const { email, password } = await dashboard.credentialsOf("vera");
    const texts: string[] = [];
    for (const [path, triedEmail, triedPassword] of [
      ["/sign-in", email, "not this one, surely"],
      ["/sign-in", "nobody@else.example", password],
      ["/sign-in?tenant=ten_01jd3k5s8ye9v8z2r0q3m7n4xa", email, password],
    ] as const) {
      const shown = await dashboard.asNobody(path);
      const { page } = shown;
      await page.getByLabel("Email").fill(triedEmail);
      await page.getByLabel("Password").fill(triedPassword);
      await page.getByRole("button", { name: "Sign in" }).click();
      const text = await page.getByRole("alert").innerText();
      texts.push(text.replace(/req_\w+/, "req_…"));
      expect(await screenFaults(shown, [401])).toEqual([]);
      await shown.close();
    }
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain("email");
  });

  it("leads somebody who has roles in Live alone to the Live book", async () => {
    const { email, password } = await dashboard.credentialsOf("lia");
    const shown = await dashboard.asNobody("/approvals");
    const { page } = shown;
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("LIVE", { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/live/approvals");
    // Before the sign-in nobody reads anything, and Test is not asked afterwards.
    expect(await screenFaults(shown, [401])).toEqual([]);
    await shown.close();
  });

  it.each([
    ["another site", "//evil.example/test/orders"],
    ["a page of the host that is none of the dashboard", "/test/../docs"],
  ])("does not lead to %s afterwards", async (_what, next) => {
    const { email, password } = await dashboard.credentialsOf("vera");
    const shown = await dashboard.asNobody(`/sign-in?next=${encodeURIComponent(next)}`);
    const { page } = shown;
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Approvals" }).waitFor();
    expect(shown.faults).toEqual([]);
    await shown.close();
  });
});

describe("a session", () => {
  it("ends with the sign-out, with the keyboard alone, and going back shows nothing of it", async () => {
    const shown = await dashboard.as("vera", "/orders");
    const { page } = shown;
    await page.getByRole("button", { name: "Vera Sato" }).press("Enter");
    await page.getByRole("menuitem", { name: "Sign out" }).press("Enter");
    await page.getByRole("heading", { name: "Sign in to Quittance" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Sign in to Quittance" }).waitFor();
    expect(await page.getByText("Vera Sato").count()).toBe(0);
    await shown.close();
  });

  it("goes on when the sign-out fails, and the page says so until it succeeds", async () => {
    const shown = await dashboard.as("vera", "/orders");
    const { page } = shown;
    await page.route("**/auth/sign-out", (route) =>
      route.fulfill({ status: 503, json: { title: "Unavailable", detail: "Try again in a moment." } }),
    );
    await page.getByRole("button", { name: "Vera Sato" }).press("Enter");
    await page.getByRole("menuitem", { name: "Sign out" }).press("Enter");
    const sheet = page.getByRole("dialog", { name: "You are still signed in" });
    await sheet.getByText("Try again in a moment.").waitFor();
    expect(new URL(page.url()).pathname).toBe("/test/orders");
    expect(await screenFaults(shown, [503])).toEqual([]);
    await page.unroute("**/auth/sign-out");
    await sheet.getByRole("button", { name: "Try again" }).press("Enter");
    await page.getByRole("heading", { name: "Sign in to Quittance" }).waitFor();
    await shown.close();
  });

  it("that has ended in another tab leads to the sign-in, and from there back", async () => {
    const shown = await dashboard.as("noor", "/orders?rail=Wire");
    const { page } = shown;
    await page.getByRole("heading", { name: "Orders" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("button", { name: "Noor Rahman" }).click();
    await other.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Quittance" }).waitFor();
    expect(new URL(page.url()).searchParams.get("next")).toBe("/test/orders?rail=Wire");
    await shown.close();
  });

  it("says that the person has no role in the live book, and leads back to the test book", async () => {
    const shown = await dashboard.as("vera", "/orders");
    const { page } = shown;
    await page.goto(page.url().replace("/test/", "/live/"));
    await page.getByText("Ask an admin for a role in Live: you have none there.").waitFor();
    expect(await screenFaults(shown, [403])).toEqual([]);
    expect(await page.getByText("TEST", { exact: true }).count()).toBe(0);
    await page.getByRole("link", { name: "Switch to the test book" }).click();
    await page.getByText("Vera Sato").waitFor();
    await shown.close();
  });
});
