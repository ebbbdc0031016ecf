import type { Page } from "playwright-core";

/** The connection is closed before the answer, or after its status and headers. */
type Lost = "answer" | "body";

/**
 * Until the page is loaded again, the first writes to the path are carried out, and their answers get lost. Returns how
 * many were lost so far.
 */
export async function loseAnswers(
  page: Page,
  path: string,
  count: number,
  what: Lost = "answer",
): Promise<() => Promise<number>> {
  await page.evaluate(loseInPage, { path, count, what });
  return () => page.evaluate(() => Number(Reflect.get(globalThis, "lostAnswers")));
}

/** Runs in the page: a request of Playwright's own would lack the headers by which a session's write counts. */
function loseInPage({ path, count, what }: { path: string; count: number; what: Lost }): void {
  const send = globalThis.fetch;
  let lost = 0;
  globalThis.fetch = async (input, init) => {
    const answer = await send(input, init);
    const isWrite = input instanceof Request && input.method !== "GET";
    if (lost === count || !isWrite || new URL(input.url).pathname !== path || !answer.ok) return answer;
    lost += 1;
    Reflect.set(globalThis, "lostAnswers", lost);
    const closed = new TypeError("the connection was closed");
    if (what === "answer") throw closed;
    const { status, headers } = answer;
    return new Response(new ReadableStream({ start: (body) => body.error(closed) }), { status, headers });
  };
}
