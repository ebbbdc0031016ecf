import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { search } from "../../typescript/sdk.gen.ts";
import type { SearchResult } from "../../typescript/types.gen.ts";
import { bodyOf } from "./client/call.ts";
import { queryClient } from "./client/query-client.ts";

const searchFor = (text: string) =>
  queryOptions({
    queryKey: ["search", text],
    queryFn: () => bodyOf(search({ query: { q: text } })),
  });

/** What the text finds in the book. The earlier results stay until the answer arrives. */
export function useSearch(text: string) {
  return useQuery({ ...searchFor(text), enabled: text !== "", placeholderData: keepPreviousData });
}

/** The same, once and without a pause. */
export function searchNow(text: string): Promise<SearchResult> {
  return queryClient.fetchQuery(searchFor(text));
}
