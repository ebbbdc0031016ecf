import type { Page } from "playwright-core";

/**
 * Holds back the answers to a path until the returned function is called. The requests are sent at once and carried
 * out. Cookies of the answers reach the browser with them.
 */
export async function holdAnswer(page: Page, path: string): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(`**${path}`, async (route) => {
    const request = route.request();
    // Playwright's own `route.fetch` would give the browser the cookies at once.
    const answer = await fetch(request.url(), {
      method: request.method(),
      headers: { ...(await request.allHeaders()), "sec-fetch-site": "same-origin" },
      body: request.postData(),
    });
    const body = await answer.text();
    await released;
    await route.fulfill({ status: answer.status, headers: Object.fromEntries(answer.headers), body });
  });
  return release;
}
