/** A search, as the reference page shows it. */
import type { z } from "zod";
import type { searchResult } from "../search.ts";
import { ids } from "./ids.ts";

/** By the schema's id. */
export const searchExamples = {
  SearchResult: {
    amountCents: null,
    data: [
      {
        kind: "PaymentOrder",
        id: ids.order,
        matchedBy: "Reference",
        title: "Ada Example",
        reference: "invoice-4711",
        status: "Completed",
        amountCents: 1_000,
      },
    ],
    leftOut: [],
    unavailable: [],
  } satisfies z.output<typeof searchResult>,
};
