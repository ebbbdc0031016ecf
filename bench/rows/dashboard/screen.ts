/** A browser at the dashboard of the stage: on this machine, or as if on a slow one. */
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { findBrowser } from "../../../scripts/local/browser/find-browser.ts";
import { projectRoot } from "../../../services/platform/runtime/project-root.ts";
import { gatewayOf } from "../../endpoints.ts";
import type { Stage } from "../../stage.ts";
import type { Credentials } from "./people.ts";

export async function openBrowser(): Promise<Browser> {
  const { path, env } = await findBrowser(join(projectRoot, ".local"));
  return chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env } as Record<string, string>,
    args: ["--disable-background-networking", "--disable-component-update", "--disable-gpu"],
  });
}

export const urlOf = (stage: Stage, path: string): string =>
  `${gatewayOf(stage).replace("127.0.0.1", "localhost")}${path}`;

/** A new window with an empty cache, in which the person has signed in. */
export async function openScreen(browser: Browser, stage: Stage, credentials: Credentials): Promise<Page> {
  const context = await browser.newContext({ locale: "en-US", viewport: { width: 1440, height: 900 } });
  const signedIn = await context.request.post(urlOf(stage, "/auth/sign-in"), {
    headers: { "sec-fetch-site": "same-origin", origin: urlOf(stage, "") },
    data: credentials,
  });
  if (!signedIn.ok()) throw new Error(`a sign-in: ${await signedIn.text()}`);
  const page = await context.newPage();
  await page.addInitScript({ content: watchTheScreen });
  return page;
}

/** A processor a quarter as fast. */
export async function slowProcessor(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
}

/** A line of 9 Mbit/s, and 60 ms there and back. */
export async function slowLine(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const bytesPerSecond = 9_000_000 / 8;
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 60,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
}

/** What the text below adds to the page. */
interface Watch {
  /** Resolves with the time at which so many of the elements were drawn. */
  until(selector: string, count: number): Promise<number>;
  /** The longest time from an input to its drawing, so far. */
  readonly longest: { ms: number; name: string };
  /** The time of the last click. */
  clickedAt(): number;
}

type Watched = typeof globalThis & { watch: Watch };

/** Runs in the page, before its own scripts: a text, because this project's types know no page. */
const watchTheScreen = `
  const longest = { ms: 0, name: "" };
  new PerformanceObserver((list) => {
    for (const { duration, name } of list.getEntries())
      if (duration > longest.ms) Object.assign(longest, { ms: duration, name });
  }).observe({ type: "event", durationThreshold: 16 });
  const until = (selector, count) =>
    new Promise((resolve) => {
      const look = () => {
        if (document.querySelectorAll(selector).length < count) requestAnimationFrame(look);
        // Drawn with this frame, at the latest when the next one begins.
        else requestAnimationFrame(() => resolve(performance.now()));
      };
      look();
    });
  let clickedAt = 0;
  addEventListener("click", () => { clickedAt = performance.now(); }, { capture: true });
  globalThis.watch = { longest, until, clickedAt: () => clickedAt };
`;

/** The time at which the elements were drawn, in ms since the page's request. */
export function drawnAt(page: Page, selector: string, count: number): Promise<number> {
  return page.evaluate(([what, many]) => (globalThis as Watched).watch.until(what, many), [
    selector,
    count,
  ] as const);
}

/** The time of the last click, in ms since the page's request. */
export function clickedAt(page: Page): Promise<number> {
  return page.evaluate(() => (globalThis as Watched).watch.clickedAt());
}

export function longestInput(page: Page): Promise<Watch["longest"]> {
  return page.evaluate(() => (globalThis as Watched).watch.longest);
}
