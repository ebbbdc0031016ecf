/** Finds what a person types: an id, a reference, a name or an amount. */
import { z } from "zod";
import { amountCents } from "../money.ts";
import { namedEnum } from "../named-enum.ts";
import { rail } from "../rails/rails.ts";
import { timestamp } from "./shapes.ts";

/** The most hits of each kind. */
export const maxHitsPerKind = 8;

export const searchKind = namedEnum("SearchKind", "What was found.", {
  PaymentOrder:
    "A payment order, by its id, your reference, its exact amount, or the start of its payee's name where it names no counterparty.",
  Counterparty: "A counterparty, by its id, your reference or the start of its name.",
  LedgerAccount: "A ledger account, by its id or the start of its name.",
  VirtualAccount: "A virtual account, by its id, your reference or the start of its name.",
  InboundPayment: "An inbound payment, by its id, the bank's reference or its exact amount.",
  Obligation: "An obligation, by its id or its reference.",
  LedgerTransaction: "A ledger transaction, by its id or your reference.",
});
export type SearchKind = z.infer<typeof searchKind>;

const searchMatch = namedEnum("SearchMatch", "Which part of it the text is.", {
  Id: "Its id.",
  Reference: "Its reference, exactly.",
  Name: "The start of its name, whatever the case.",
  Amount: "Its amount, exactly.",
});
export type SearchMatch = z.infer<typeof searchMatch>;

export const searchQuery = z.strictObject({
  q: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .meta({
      description:
        "What to find. An id finds that object alone. Else the text is a reference, the start of a name, and, if it looks like one, an amount in dollars: `1,234.56`, `1234.56`, `$1234.56` and `1234` (1,234.00).",
      examples: ["invoice-4711"],
    }),
});
export type SearchQuery = z.output<typeof searchQuery>;

export const searchHit = z
  .object({
    kind: searchKind,
    id: z.string().meta({ description: "The object's id." }),
    matchedBy: searchMatch,
    title: z
      .string()
      .nullable()
      .meta({ description: "Its name, its counterparty's name, or what it is for." }),
    reference: z.string().nullable().meta({ description: "Your reference, or the bank's." }),
    status: z.string().nullable().meta({ description: "Its status." }),
    amountCents: amountCents.nullable().meta({ description: "Its amount in cents, if it has one." }),
    rail: rail
      .nullable()
      .meta({ description: "The rail of a payment, or of a counterparty's first account." }),
    accountNumber: z.string().nullable().meta({
      description: "The account that is paid or has paid, masked except for the last four characters.",
    }),
    at: timestamp
      .nullable()
      .meta({ description: "When it was created. Of an inbound payment, when the bank received it." }),
  })
  .meta({ id: "SearchHit", description: "Something that was found, and what tells it from others like it." });
export type SearchHit = z.output<typeof searchHit>;

export const searchResult = z
  .object({
    amountCents: z
      .int()
      .nullable()
      .meta({ description: "The amount that the text was read as, in cents. Null if it is none." }),
    data: z
      .array(searchHit)
      .meta({ description: "At most eight of each kind, the newest first; by name, in its order." }),
    leftOut: z
      .array(searchKind)
      .meta({ description: "Kinds that were not searched: they need the scope `ledger:read`." }),
    unavailable: z
      .array(searchKind)
      .meta({ description: "Kinds whose service did not answer. Search again." }),
  })
  .meta({ id: "SearchResult", description: "What the search found." });
export type SearchResult = z.output<typeof searchResult>;
