import type { Locator, Page } from "playwright-core";
import { until } from "../stack/until.ts";

/**
 * Presses "Try again" by the keyboard until the content is shown. A late event of the book may make the page read
 * again before that, and then no button is left to press.
 */
export async function tryAgain(page: Page, content: Locator): Promise<void> {
  const button = page.getByRole("button", { name: "Try again" }).first();
  await until("the content after another try", async () => {
    if (await content.isVisible()) return true;
    await button.press("Enter", { timeout: 1_000 }).catch(() => undefined);
    return content.isVisible();
  });
}
