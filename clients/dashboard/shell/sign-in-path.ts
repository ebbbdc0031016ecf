import { basePath } from "../book.ts";

/** The page of this application to return to after sign-in; the first page for any other address. */
export function pageAfterSignIn(next: string | undefined): string {
  const isOwn = next !== undefined && /^\/(test|live)\/(?!sign-in)/.test(next);
  return isOwn ? next : `${basePath}/approvals`;
}

/** The sign-in page, which comes back to the page that is shown now. */
export function signInPath(): string {
  const next = `${location.pathname}${location.search}`;
  return `${basePath}/sign-in?next=${encodeURIComponent(next)}`;
}
