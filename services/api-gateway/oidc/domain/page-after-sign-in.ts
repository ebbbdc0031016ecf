/** To which page a browser goes after a sign-in. An address that somebody else made up must not lead off our pages. */
import type { RolesByMode } from "../../../../contracts/http/roles.ts";
import type { Mode } from "../../../../contracts/ids/ids.ts";

/** Together with the rest of an attempt it fits into a cookie, of which browsers keep 4,096 bytes. */
const maxLength = 1_000;
const pageOfABook = /^\/(test|live)(?:[/?]|$)/;
const signInPage = /^\/(?:test|live)\/sign-in(?:[/?]|$)/;
const own = "https://own.invalid";

/**
 * Returns `next` if it is the path, with its query, of one of the dashboard's pages; undefined for anything else. It
 * has no `//` and no backslash, which browsers read as the start of a host, nothing but printable ASCII, because
 * browsers drop tabs and line ends, and no `..` that would lead out of the pages.
 */
export function ownPage(next: unknown): string | undefined {
  if (typeof next !== "string" || next.length > maxLength) return undefined;
  if (!/^\/[\x21-\x7e]*$/.test(next) || next.includes("//") || next.includes("\\")) return undefined;
  if (!pageOfABook.test(next) || signInPage.test(next)) return undefined;
  const { origin, pathname, search } = new URL(next, own);
  return origin === own && pathname + search === next ? next : undefined;
}

/**
 * The page that was asked for, or the first one. A person without a role in its book, and with one in the other, begins
 * in the other.
 */
export function pageAfterSignIn(next: string | undefined, roles: RolesByMode): string {
  const asked = ownPage(next) ?? firstPage("Test");
  const mode = modeOf(asked);
  const other = mode === "Test" ? "Live" : "Test";
  return roles[mode].length === 0 && roles[other].length > 0 ? firstPage(other) : asked;
}

/** The sign-in page of the same book. It says that the sign-in failed and never why, and knows the page to go to. */
export function pageAfterFailure(next: string | undefined): string {
  const asked = ownPage(next);
  if (asked === undefined) return "/test/sign-in?failed=openid";
  return `/${modeOf(asked).toLowerCase()}/sign-in?failed=openid&next=${encodeURIComponent(asked)}`;
}

const firstPage = (mode: Mode) => `/${mode.toLowerCase()}/approvals`;
const modeOf = (page: string): Mode => (page.startsWith("/live") ? "Live" : "Test");
