/** The dashboard in a browser, as somebody of a world's tenant sees it. */
import type { BrowserContext, BrowserContextOptions } from "playwright-core";
import { onTestFailed } from "vitest";
import { until } from "../stack/until.ts";
import { World } from "../world/world.ts";
import { TestBrowser, type WatchedPage } from "./browser.ts";
import { type Credentials, invite, type Principal } from "../world/people.ts";

type SessionCookie = Parameters<BrowserContext["addCookies"]>[0][number];

export class Dashboard<W extends World = World> {
  readonly world: W;
  readonly #browser: TestBrowser;
  readonly #invited = new Map<Principal, Promise<Credentials>>();

  private constructor(world: W, browser: TestBrowser) {
    this.world = world;
    this.#browser = browser;
  }

  static async open<W extends World = World>(starts?: Promise<W>): Promise<Dashboard<W>> {
    const [world, browser] = await Promise.all([starts ?? World.join(), TestBrowser.start()]);
    return new Dashboard(world as W, browser);
  }

  /** A new window at this path of the test book, where the person has signed in. */
  async as(principal: Principal, path: string, device?: BrowserContextOptions): Promise<WatchedPage> {
    const shown = await this.#open(device);
    const browser = await shown.page.evaluate(() => navigator.userAgent);
    await shown.page.context().addCookies([await this.#signIn(principal, browser)]);
    await shown.goto(this.url(path));
    return shown;
  }

  /** A new window in which nobody has signed in. */
  async asNobody(path: string): Promise<WatchedPage> {
    const shown = await this.#open();
    await shown.goto(this.url(path));
    return shown;
  }

  /** If the test fails, what the window shows then is printed. */
  async #open(device?: BrowserContextOptions): Promise<WatchedPage> {
    const shown = await this.#browser.open(device);
    onTestFailed(async () => {
      if (!shown.isClosed && !shown.page.isClosed()) process.stderr.write(`${await shown.describe()}\n`);
    });
    return shown;
  }

  /** Signs in over HTTP, and returns the cookie of the new session. No page has to be loaded for it. */
  async #signIn(principal: Principal, browser: string): Promise<SessionCookie> {
    const { origin } = new URL(this.url(""));
    const headers = {
      "content-type": "application/json",
      origin,
      "sec-fetch-site": "same-origin",
      "user-agent": browser,
    };
    const body = JSON.stringify(await this.credentialsOf(principal));
    const answer = await until(`the sign-in of ${principal}`, async () => {
      const made = await fetch(`${origin}/auth/sign-in`, { method: "POST", headers, body });
      return [503, 504].includes(made.status) ? undefined : made;
    });
    const [name, value] = answer.headers.getSetCookie()[0]?.split(";", 1)[0]?.split("=", 2) ?? [];
    if (name === undefined || value === undefined)
      throw new Error(`the sign-in of ${principal} failed: ${String(answer.status)}`);
    return {
      name,
      value,
      url: origin.replace("http:", "https:"),
      httpOnly: true,
      secure: true,
      sameSite: "Lax",
    };
  }

  credentialsOf(principal: Principal): Promise<Credentials> {
    const known = this.#invited.get(principal) ?? invite(this.world, principal);
    this.#invited.set(principal, known);
    return known;
  }

  /** Passkeys need a host that has a name. */
  url(path: string): string {
    return `${this.world.baseUrl().replace("127.0.0.1", "localhost")}/test${path}`;
  }

  async stop(): Promise<void> {
    await this.#browser.stop();
    await this.world.stop();
  }
}
