/** A real browser for tests of pages. What a page does wrong fails its test. */
import { join } from "node:path";
import {
  type Browser as Running,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from "playwright-core";
import { findBrowser } from "../../scripts/local/browser/find-browser.ts";
import { projectRoot } from "../../services/platform/runtime/project-root.ts";
import { patienceMs } from "../stack/until.ts";
import { attachPasskeyDevice } from "./passkey.ts";

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
  closed.length = 0;
}

/** The size of a desktop screen. */
const desk = { viewport: { width: 1440, height: 900 } } satisfies BrowserContextOptions;

/**
 * Windows that tests have closed. The next test gets one of them: a page that has been loaded before costs half as much
 * CPU, because its files and their compiled code are still there. Cookies and storage are not.
 */
const closed: Page[] = [];

/** The windows of one file. Each has cookies and storage of its own. */
export class TestBrowser {
  readonly #running: Running;
  readonly #windows: WatchedPage[] = [];

  private constructor(running: Running) {
    this.#running = running;
  }

  static async start(): Promise<TestBrowser> {
    shared ??= launch();
    shared.catch(forget);
    return new TestBrowser(await shared);
  }

  /** A new user's window, on a device that can have passkeys. One with settings of its own serves no other test. */
  async open(settings?: BrowserContextOptions): Promise<WatchedPage> {
    const page = (settings === undefined && closed.pop()) || (await this.#newPage(settings));
    const window = new WatchedPage(page, await attachPasskeyDevice(page), settings === undefined);
    this.#windows.push(window);
    return window;
  }

  /** Without a locale, `Intl` of a machine without one throws. */
  async #newPage(settings: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#running.newContext({ locale: "en-US", ...desk, ...settings });
    context.setDefaultTimeout(patienceMs);
    return context.newPage();
  }

  /** Closes the windows that a test has left open. No other test gets them. */
  async stop(): Promise<void> {
    await Promise.all(this.#windows.map((window) => window.discard()));
  }
}

/** A page, and what it did that no page of ours may do. */
export class WatchedPage {
  readonly page: Page;
  /**
   * Errors that it logged or threw, violations of its policy among them, and requests to other hosts. Answers 503
   * and 504 don't count: a busy service gives them, and the page shows them or reads again.
   */
  readonly faults: string[] = [];
  readonly #device: CDPSession;
  readonly #isReusable: boolean;
  /** True once the test has closed it. Its page may be another test's then. */
  isClosed = false;
  #origin = "";

  constructor(page: Page, device: CDPSession, isReusable: boolean) {
    this.page = page;
    this.#device = device;
    this.#isReusable = isReusable;
    page.on("console", (message) => {
      if (message.type() === "error" && !/responded with a status of 50[34]/.test(message.text()))
        this.faults.push(`logged: ${message.text()} (${message.location().url})`);
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

  /** Leaves the window to another test, without what this one did in it. */
  async close(): Promise<void> {
    if (!this.#isReusable || !(await this.#rests())) return this.discard();
    this.isClosed = true;
    await this.#clear();
    closed.push(this.page);
  }

  /** Closes the window. Tests do so that change its clock or its scripts, because nothing takes that back. */
  async discard(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.page.context().close();
  }

  /**
   * Leads to a page that runs nothing. It has the same origin, so it has the same process, with what this has
   * compiled. False if the window has left the origin, whose storage can't be cleared then, or the gateway has ended.
   */
  async #rests(): Promise<boolean> {
    for (const event of ["console", "pageerror", "request"]) this.page.removeAllListeners(event);
    if (new URL(this.page.url()).origin !== this.#origin) return false;
    await this.page.unrouteAll({ behavior: "ignoreErrors" });
    return this.page.goto(`${this.#origin}/robots.txt`).then(
      () => true,
      () => false,
    );
  }

  async #clear(): Promise<void> {
    const { page } = this;
    const context = page.context();
    const others = context.pages().filter((other) => other !== page);
    await Promise.all(others.map((other) => other.close()));
    await page.evaluate("localStorage.clear(); sessionStorage.clear();");
    await Promise.all([this.#device.detach(), context.clearCookies(), context.clearPermissions()]);
    await page.emulateMedia({ colorScheme: null, reducedMotion: null });
    await page.setViewportSize(desk.viewport);
  }
}
