import { errorCatalogue, type ErrorCode } from "../../../../contracts/errors.ts";
import type { StatusClass } from "../../../typescript/types.gen.ts";
import { type PagesOnly, readPages } from "../../parts/page/read-search.ts";

/** Which refused requests are listed, as it stands in the address. */
export interface RequestFilters extends PagesOnly {
  readonly code?: ErrorCode | undefined;
  readonly status?: StatusClass | undefined;
}

export const statusClasses = ["4xx", "5xx"] as const satisfies readonly StatusClass[];

export function readRequestFilters({ code, status, ...search }: Record<string, unknown>): RequestFilters {
  const known = statusClasses.find((one) => one === status);
  return {
    ...(isErrorCode(code) ? { code } : {}),
    ...(known === undefined ? {} : { status: known }),
    ...readPages(search),
  };
}

function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === "string" && Object.hasOwn(errorCatalogue, value);
}
