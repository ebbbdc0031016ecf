/** The statement of webhooks, as the reference page shows it. A test holds it against its schema. */
import type { z } from "zod";
import type { webhookStatement } from "../webhooks/statement.ts";
import { ids } from "./ids.ts";

export const webhookStatementExamples = {
  WebhookStatement: {
    date: "2026-03-02",
    data: [
      { endpointId: ids.endpoint, committed: 1_204, delivered: 1_199, dead: 2, pending: 3, cancelled: 0 },
    ],
    nextCursor: null,
    hasMore: false,
  } satisfies z.output<typeof webhookStatement>,
};
