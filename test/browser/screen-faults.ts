/** What is wrong with a screen as it is shown, whatever it shows. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import type { WatchedPage } from "./browser.ts";

const require = createRequire(import.meta.url);
const axeSource = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");

const narrowest = { width: 320, height: 700 };

interface Violation {
  readonly id: string;
  readonly nodes: readonly {
    readonly target: readonly unknown[];
    readonly any: readonly { readonly message: string }[];
  }[];
}

/**
 * Rules of WCAG 2.2 AA that the screen breaks in either colour scheme and on a phone, side scroll at 320 pixels, and
 * what the page did since it was opened that no page may do. Leaves the window as it was. The browser logs each answer
 * of 400 and above as an error, and each request without an answer: `refusals` are the statuses that the test has
 * provoked, 0 for none.
 */
export async function screenFaults(
  { page, faults }: WatchedPage,
  refusals: readonly number[] = [],
): Promise<string[]> {
  const size = page.viewportSize();
  const found = [...(await axeFaults(page, "light")), ...(await axeFaults(page, "dark"))];
  await page.setViewportSize(narrowest);
  found.push(...(await axeFaults(page, "light")).map((fault) => `phone ${fault}`));
  const pixels = await sideScroll(page);
  if (pixels !== 0) found.push(`scrolls sideways by ${String(pixels)} pixels at 320`);
  if (size !== null) await page.setViewportSize(size);
  const provoked = refusals.map((status) =>
    status === 0
      ? "logged: Failed to load resource: net::ERR_"
      : `responded with a status of ${String(status)}`,
  );
  return [...found, ...faults.filter((fault) => !provoked.some((part) => fault.includes(part)))];
}

/** `light target-size: input (Target has insufficient size)`. */
async function axeFaults(page: Page, colorScheme: "light" | "dark"): Promise<string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  // The browser draws the other scheme with its next frame.
  await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axeSource);
  const faults = await page.evaluate(async (scheme) => {
    const { axe } = globalThis as unknown as {
      axe: { run: (options: object) => Promise<{ violations: Violation[] }> };
    };
    // The dark scheme differs in its colours alone. The target's size is new in WCAG 2.2, and off by default.
    const rules =
      scheme === "dark"
        ? { runOnly: ["color-contrast", "link-in-text-block"] }
        : { rules: { "target-size": { enabled: true } } };
    // Only violations are reported, and none of these rules reads the sources of the style sheets.
    const { violations } = await axe.run({ ...rules, resultTypes: ["violations"], preload: false });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, any: [reason] }) => `${id}: ${target.join(" ")} (${reason?.message ?? ""})`),
    );
  }, colorScheme);
  return faults.map((fault) => `${colorScheme} ${fault}`);
}

/** Of the page, of its content, which scrolls by itself, or of a sheet over it: whichever is the most. */
async function sideScroll(page: Page): Promise<number> {
  const pixels = await page.evaluate(
    `Math.max(...[document.documentElement, ...document.querySelectorAll("#content, [role=dialog]")]
      .map((part) => part.scrollWidth - part.clientWidth))`,
  );
  return Number(pixels);
}
