/** The dashboard in a browser, as somebody of a world's tenant sees it. */
import { World } from "../world/world.ts";
import { TestBrowser, type WatchedPage } from "./browser.ts";
import { attachPasskeyDevice } from "./passkey.ts";
import { type Credentials, invite, type Principal } from "../world/people.ts";

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

  /** A new window at this path of the test book, where the person has signed in on a device that can have passkeys. */
  async as(principal: Principal, path: string): Promise<WatchedPage> {
    const shown = await this.asNobody("/sign-in");
    await attachPasskeyDevice(shown.page);
    await shown.page.evaluate(signIn, await this.credentialsOf(principal));
    await shown.goto(this.url(path));
    return shown;
  }

  /** A new window in which nobody has signed in. */
  async asNobody(path: string): Promise<WatchedPage> {
    const shown = await this.#browser.open({ viewport: { width: 1440, height: 900 } });
    await shown.goto(this.url(path));
    return shown;
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

/** Runs in the page. */
async function signIn(credentials: Credentials): Promise<void> {
  const { ok } = await fetch("/auth/sign-in", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(credentials),
  });
  if (!ok) throw new Error("the sign-in failed");
}
