import type { Mode } from "../../../typescript/types.gen.ts";
import { basePath } from "../../book.ts";

/**
 * The page of this application to return to after sign-in; the first page for any other address. A person with roles in
 * the other book alone, if they are known, begins there.
 */
export function pageAfterSignIn(
  next: string | undefined,
  roles?: Readonly<Record<Mode, readonly unknown[]>>,
): string {
  const page = next !== undefined && isOwnPage(next) ? next : `${basePath}/approvals`;
  const [book, other]: readonly [Mode, Mode] = page.startsWith("/live") ? ["Live", "Test"] : ["Test", "Live"];
  const isElsewhere = roles !== undefined && roles[book].length === 0 && roles[other].length > 0;
  return isElsewhere ? `/${other.toLowerCase()}/approvals` : page;
}

/** False for an address that leads elsewhere once it is followed, such as `/test/../docs`. */
function isOwnPage(address: string): boolean {
  if (!/^\/(test|live)\/(?!sign-in|.*\/\/)/.test(address)) return false;
  const { origin, pathname, search } = new URL(address, location.origin);
  return origin === location.origin && pathname + search === address;
}

/** The sign-in page, which comes back to the page that is shown now. */
export function signInPath(): string {
  const next = `${location.pathname}${location.search}`;
  return `${basePath}/sign-in?next=${encodeURIComponent(next)}`;
}
