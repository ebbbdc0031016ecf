/** What a developer sees who opens the reference of the API in a browser. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { World } from "../../world/world.ts";
import { TestBrowser } from "../browser.ts";

async function openReference() {
  const [world, browser] = await Promise.all([World.join(), TestBrowser.start()]);
  const shown = await browser.open();
  return {
    world,
    shown,
    stop: async () => {
      await shown.close();
      await browser.stop();
      await world.stop();
    },
  };
}

describe("the reference at /docs", async () => {
  const { shown, world } = await forThisFile(openReference());

  it("shows the operations, loads everything from its own host and breaks no policy of its own", async () => {
    expect(await shown.goto(`${world.baseUrl()}/docs`)).toBe(200);
    expect(await shown.page.title()).toBe("Quittance API");
    await shown.page.getByText("Create a payment order").first().waitFor();
    expect(shown.faults).toEqual([]);
  });
});
