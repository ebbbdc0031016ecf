/** What the screens of keys, policy, people and audit log show when something is missing, long or away. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { loseAnswers } from "../lose-answers.ts";
import { unavailable } from "../problems.ts";
import { screenFaults } from "../screen-faults.ts";
import { tryAgain } from "../try-again.ts";

const dashboard = await forThisFile(Dashboard.open());

describe("a screen of the controls", () => {
  it.each([
    ["/policy", "**/v1/approval-policy", "One approval above"],
    ["/api-keys", "**/v1/api-keys?*", "Acts as"],
    ["/people", "**/v1/people?*", "Acts as"],
    ["/audit-log", "**/v1/audit-log?*", "Signed in"],
  ])("%s says what failed, and tries again", async (path, request, content) => {
    const shown = await dashboard.as("ada", "/orders");
    const { page } = shown;
    await page.route(request, (route) => route.fulfill(unavailable));
    await shown.goto(dashboard.url(path));
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await page.getByText("req_01jd3k60a2f8x9t4c1v5b7w3me").waitFor();
    expect(await screenFaults(shown, [503])).toEqual([]);
    await page.unroute(request);
    await tryAgain(page, page.getByText(content).first());
    await shown.close();
  });

  it("sends nothing while it does not follow its book", async () => {
    const shown = await dashboard.as("ada", "/orders");
    const { page } = shown;
    await page.route("**/v1/stream", (route) => route.abort());
    await shown.goto(dashboard.url("/policy"));
    await page.getByText("What you see is as it was at").waitFor();
    await page.getByLabel("Two approvals above").fill("11,000");
    await page.getByText("Nothing becomes looser, so it is in force at once.").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Apply policy" }).isDisabled()).toBe(true);
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Read orders and the policy").check();
    await expect.poll(() => page.getByRole("button", { name: "Create the key" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("link", { name: "People" }).click();
    await page.getByRole("button", { name: "Add a person" }).click();
    await expect.poll(() => page.getByRole("button", { name: "Add the person" }).isDisabled()).toBe(true);
    await page.unroute("**/v1/stream");
    await page.getByText("What you see is as it was at").waitFor({ state: "hidden" });
    expect(await page.getByRole("button", { name: "Add the person" }).isEnabled()).toBe(true);
    await shown.close();
  });
});

describe("the API keys", () => {
  it("fit a phone with a name of 100 characters, which is a text and no markup", async () => {
    const name = `<img src=x onerror=alert(1)>${"W".repeat(72)}`;
    await dashboard.world.post("/v1/api-keys", { name, scopes: ["orders:read"] });
    const shown = await dashboard.as("omar", "/api-keys");
    await shown.page.getByRole("button", { name }).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.page.getByRole("button", { name }).click();
    await shown.page.getByRole("button", { name: "Rotate…" }).waitFor();
    expect(await screenFaults(shown)).toEqual([]);
    await shown.close();
  });

  it("are made by keyboard alone, and once where the answer gets lost", async () => {
    const shown = await dashboard.as("maya", "/api-keys");
    const { page } = shown;
    await loseAnswers(page, "/v1/api-keys", 1);
    await page.getByRole("button", { name: "Create a key" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Name", { exact: true }).focus();
    await page.keyboard.type("Typed");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    const add = page.getByRole("button", { name: "Add a passkey" });
    await add.focus();
    await page.keyboard.press("Enter");
    await page.getByText("Quittance can't be reached").waitFor();
    await page.getByRole("button", { name: "Create the key" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("The answer with the key did not arrive.").waitFor();
    await page.getByRole("button", { name: "I have kept it" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Typed" }).waitFor();
    expect(await page.getByRole("button", { name: "Typed" }).count()).toBe(1);
    await shown.close();
  });
});
