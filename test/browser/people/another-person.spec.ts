/** What a page does whose person may no longer see what it shows, or is another one. */
import { expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { Dashboard } from "../dashboard.ts";
import { forbidden } from "../problems.ts";

const dashboard = await forThisFile(Dashboard.open());
const { world } = dashboard;
const payer = await world.payerNamed("Operating");

it("is loaded again once somebody else has signed in in another tab", async () => {
  const shown = await dashboard.as("ada", "/people");
  const { page } = shown;
  await page.getByRole("button", { name: /Ada/ }).first().waitFor();
  const { body: other } = await world.get<object>("/v1/me");
  const loaded = page.waitForEvent("load");
  await page.route("**/v1/me", (route) => route.fulfill({ json: { ...other, principal: "somebody else" } }));
  await payer.pays(100);
  await loaded;
  expect(new URL(page.url()).pathname).toBe("/test/people");
  await shown.close();
});

it("shows nothing more of a list that the person may no longer read", async () => {
  await dashboard.credentialsOf("maya");
  const shown = await dashboard.as("ada", "/people");
  const { page } = shown;
  const row = page.getByText("maya@", { exact: false }).first();
  await row.waitFor();
  await page.route("**/v1/people?*", (route) => route.fulfill(forbidden));
  await payer.pays(100);
  await page.getByText("Ask an admin for a role with the scope").waitFor();
  expect(await row.count()).toBe(0);
  await shown.close();
});
