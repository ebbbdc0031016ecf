import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure, Loading } from "./failure.tsx";
import { Pages, type PagesProps } from "./pages.tsx";

interface PagedListProps<Item> extends Omit<PagesProps, "next" | "isTurning"> {
  readonly list: UseQueryResult<{ readonly data: readonly Item[]; readonly nextCursor: string | null }>;
  /** How many lines it keeps free while it loads. */
  readonly lines?: number;
  /** What stands in the place of an empty list. */
  readonly empty: ReactNode;
  readonly children: (items: readonly Item[]) => ReactNode;
}

/** One page of a list, also while it loads and where it can't be read, and the way to the other pages. */
export function PagedList<Item>({ list, lines = 12, empty, children, ...pages }: PagedListProps<Item>) {
  const { data, isError, isPending, isPlaceholderData, error, refetch } = list;
  return (
    <>
      {data === undefined && isError && <Failure error={error} retry={refetch} />}
      {isPending && <Loading lines={lines} />}
      {data !== undefined && (
        <>
          {data.data.length === 0 ? empty : children(data.data)}
          {/* While the page before is shown, its cursor would load the same page again. */}
          <Pages {...pages} next={isPlaceholderData ? null : data.nextCursor} isTurning={isPlaceholderData} />
        </>
      )}
    </>
  );
}
