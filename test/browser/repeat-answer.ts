import type { Page } from "playwright-core";

/** Answers the page's next request to a path as it would be answered now, whatever happens in between. */
export async function repeatAnswer(page: Page, path: string): Promise<void> {
  const body = await page.evaluate(async (of) => {
    const answer = await fetch(of, { headers: { "Quittance-Mode": "Test" } });
    return answer.text();
  }, path);
  await page.route(`**${path}`, (route) => route.fulfill({ contentType: "application/json", body }), {
    times: 1,
  });
}
