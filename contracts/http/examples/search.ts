/** A search, as the reference page shows it. */
import type { z } from "zod";
import type { searchResult } from "../search.ts";
import { at, ids } from "./ids.ts";

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
        rail: "Rtp",
        accountNumber: "••••6789",
        at: at(0),
      },
    ],
    leftOut: [],
    unavailable: [],
  } satisfies z.output<typeof searchResult>,
};
