/** The book that this page shows, from its path. Switching the book loads the page again, so no answer is kept. */
import type { Mode } from "../typescript/types.gen.ts";

export const mode: Mode = location.pathname.startsWith("/live") ? "Live" : "Test";
export const basePath = `/${mode.toLowerCase()}`;
/** The first page of the tenant's other book. */
export const otherBookPath = mode === "Test" ? "/live/" : "/test/";
