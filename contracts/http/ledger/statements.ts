import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents, balanceCents, currency } from "../../money.ts";
import { bankingDate, pageEnd, pageQuery, timestamp } from "../shapes.ts";
import { entryDirection, journalKind, normalBalance } from "./ledger-accounts.ts";

const from = bankingDate.meta({ description: "The first day, in New York, by effective time." });
const to = bankingDate.meta({ description: "The last day, in New York, by effective time. Included." });

/** The query of GET /v1/ledger-accounts/:id/statement, without the rule that crosses fields. */
export const statementQuery = z.strictObject({ ...pageQuery, from, to });
export const statementQueryString = statementQuery.superRefine(({ from: first, to: last }, context) => {
  if (first > last) context.addIssue({ code: "custom", path: ["to"], message: "is before from" });
});
export type StatementQuery = z.output<typeof statementQuery>;

const statementLine = z.object({
  entryId: idSchema("le"),
  effectiveDate: bankingDate.meta({ description: "The New York day for which it counts." }),
  effectiveAt: timestamp.meta({ description: "When the money moved." }),
  createdAt: timestamp.meta({ description: "When it was recorded." }),
  direction: entryDirection,
  amountCents,
  balanceCents: balanceCents.meta({ description: "The posted balance after this line, in cents." }),
  kind: journalKind,
  description: z.string().nullable().meta({ description: "What its journal or transaction is for." }),
  externalId: z.string().nullable().meta({ description: "Your reference of its transaction." }),
  transactionId: idSchema("lt"),
  paymentOrderId: idSchema("po").nullable().meta({ description: "The order that it belongs to." }),
  sequence: z.int().meta({ description: "The journal's number in the book." }),
});
export type StatementLine = z.output<typeof statementLine>;

export const statement = z
  .object({
    ledgerAccountId: idSchema("la"),
    ledgerAccountName: z.string().meta({ description: "The account's name." }),
    currency,
    normalBalance,
    from,
    to,
    openingBalanceCents: balanceCents.meta({
      description: "Posted, at the end of the day before `from`, in cents.",
    }),
    closingBalanceCents: balanceCents.meta({ description: "Posted, at the end of `to`, in cents." }),
    data: z.array(statementLine).meta({
      description: "The posted entries of this page, by effective day and then in the order of their record.",
    }),
    ...pageEnd,
  })
  .meta({ id: "LedgerAccountStatement", description: "What moved on an account within some days." });
export type Statement = z.output<typeof statement>;

/** The most lines that one CSV file holds. */
export const maxCsvLines = 10_000;
