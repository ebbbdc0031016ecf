/** To which page a browser goes after a sign-in. An address that somebody else made up must not lead off our pages. */
import type { RolesByMode } from "../../../../contracts/http/roles.ts";
import type { Mode, TenantId } from "../../../../contracts/ids/ids.ts";

/** Together with the rest of an attempt it fits into a cookie, of which browsers keep 4,096 bytes. */
const maxLength = 1_000;
const pageOfABook = /^\/(test|live)(?:[/?]|$)/;
const signInPages = /^\/(?:test|live)\/sign-in(?:[/?]|$)/;
const own = "https://own.invalid";

/**
 * Returns `next` if it is the path, with its query, of one of the dashboard's pages; undefined for anything else. It
 * has no `//` and no backslash, which browsers read as the start of a host, nothing but printable ASCII, because
 * browsers drop tabs and line ends, and no `..` that would lead out of the pages.
 */
export function ownPage(next: unknown): string | undefined {
  if (typeof next !== "string" || next.length > maxLength) return undefined;
  if (!/^\/[\x21-\x7e]*$/.test(next) || next.includes("//") || next.includes("\\")) return undefined;
  if (!pageOfABook.test(next) || signInPages.test(next)) return undefined;
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

/** The sign-in page of the book of the page to go to, with the button of the tenant's provider. */
export function signInPage(tenant: TenantId, next: string | undefined): string {
  return signInPageWith({ tenant, next });
}

/** The same page again. It says that the sign-in failed and never why. */
export function pageAfterFailure(tenant: TenantId | undefined, next: string | undefined): string {
  return signInPageWith({ failed: "openid", tenant, next });
}

interface OfSignIn {
  readonly failed?: "openid";
  readonly tenant: TenantId | undefined;
  readonly next: string | undefined;
}

function signInPageWith({ failed, tenant, next }: OfSignIn): string {
  const asked = ownPage(next);
  const query = new URLSearchParams();
  if (failed !== undefined) query.set("failed", failed);
  if (tenant !== undefined) query.set("tenant", tenant);
  if (asked !== undefined) query.set("next", asked);
  return `/${modeOf(asked ?? firstPage("Test")).toLowerCase()}/sign-in?${query.toString()}`;
}

const firstPage = (mode: Mode) => `/${mode.toLowerCase()}/approvals`;
const modeOf = (page: string): Mode => (page.startsWith("/live") ? "Live" : "Test");
