/** A real browser for tests of pages. What a page does wrong fails its test. */
import { join } from "node:path";
import {
  type Browser as Running,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { findBrowser } from "../../scripts/local/browser/find-browser.ts";
import { projectRoot } from "../../services/platform/runtime/project-root.ts";
import { patienceMs } from "../stack/until.ts";

/** One browser for all files of a worker: vitest runs them with `isolate: false`. It ends when the worker does. */
let shared: Promise<Running> | undefined;

const flags = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-gpu",
  "--in-process-gpu",
  // No page lives long enough to repay V8's optimizing compilers.
  "--js-flags=--no-opt --no-maglev",
];

async function launch(): Promise<Running> {
  const { path, env } = await findBrowser(join(projectRoot, ".local"));
  const browser = await chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env } as Record<string, string>,
    args: flags,
  });
  browser.on("disconnected", forget);
  return browser;
}

/** One that crashed or did not start must not fail the files after it. */
function forget(): void {
  shared = undefined;
}

/** The windows of one file. Each has cookies, storage and a cache of its own. */
export class TestBrowser {
  readonly #running: Running;
  readonly #windows: BrowserContext[] = [];

  private constructor(running: Running) {
    this.#running = running;
  }

  static async start(): Promise<TestBrowser> {
    shared ??= launch();
    shared.catch(forget);
    return new TestBrowser(await shared);
  }

  /** A new user's window. Without a locale, `Intl` of a machine without one throws. */
  async open(settings: BrowserContextOptions = {}): Promise<WatchedPage> {
    const context = await this.#running.newContext({ locale: "en-US", ...settings });
    this.#windows.push(context);
    context.setDefaultTimeout(patienceMs);
    return new WatchedPage(context, await context.newPage());
  }

  /** Closes its windows. */
  async stop(): Promise<void> {
    await Promise.all(this.#windows.map((window) => window.close()));
  }
}

/** A page, and what it did that no page of ours may do. */
export class WatchedPage {
  readonly page: Page;
  /** Errors that it logged or threw, violations of its policy among them, and requests to other hosts. */
  readonly faults: string[] = [];
  readonly #context: BrowserContext;
  #origin = "";

  constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
    page.on("console", (message) => {
      if (message.type() === "error") this.faults.push(`logged: ${message.text()}`);
    });
    page.on("pageerror", (error) => this.faults.push(`threw: ${error.message}`));
    page.on("request", (request) => {
      const url = new URL(request.url());
      const isOwn = url.origin === this.#origin || url.protocol === "data:" || url.protocol === "blob:";
      if (!isOwn) this.faults.push(`requested ${request.url()}`);
    });
  }

  /** Resolves with the HTTP status once the page is loaded. */
  async goto(url: string): Promise<number | undefined> {
    this.#origin = new URL(url).origin;
    return (await this.page.goto(url))?.status();
  }

  /** The address, the element that has the focus, what the page did wrong, and its text with the buttons' states. */
  async describe(): Promise<string> {
    const focused = await this.page.evaluate("document.activeElement?.outerHTML.slice(0, 200) ?? ''");
    const content = await this.page.locator("body").ariaSnapshot();
    return [this.page.url(), `focus: ${String(focused)}`, ...this.faults, content].join("\n");
  }

  close(): Promise<void> {
    return this.#context.close();
  }
}
