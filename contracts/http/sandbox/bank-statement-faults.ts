import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents } from "../../money.ts";
import { bankSide } from "../ledger/reconciliations.ts";
import { pageOf, pageQuery, timestamp } from "../shapes.ts";

export const statementFaultKinds = ["LineMissing", "LineAdded", "AmountChanged", "WrongHash"] as const;

const which = {
  orderId: idSchema("po").optional().meta({ description: "The payment whose line it is." }),
  bankReference: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: "The line's reference at the bank." }),
  amountCents: amountCents.optional(),
  side: bankSide.optional(),
};

export const statementFaultCreate = z
  .strictObject({
    kind: z.enum(statementFaultKinds).meta({
      description:
        "LineMissing and AmountChanged spoil the line of `orderId` or `bankReference`, or the newest, which no other open fault may spoil; LineAdded invents one of `amountCents`, Out unless `side` says In; WrongHash tells the statement with a hash that is not its own.",
    }),
    ...which,
  })
  .meta({ id: "BankStatementFaultCreate" });
export type StatementFaultCreate = z.infer<typeof statementFaultCreate>;

export const statementFault = z
  .object({
    id: idSchema("bsf"),
    kind: z.enum(statementFaultKinds),
    status: z.enum(["Waiting", "Printed", "Correcting", "Corrected"]).meta({
      description:
        "Waiting for a statement with such a line; Printed on one; Correcting: the next statement puts it right; Corrected.",
    }),
    orderId: idSchema("po").nullable(),
    bankReference: z.string().nullable(),
    amountCents: amountCents.nullable(),
    side: bankSide.nullable(),
    statementId: idSchema("stm").nullable().meta({ description: "The statement that has it." }),
    createdAt: timestamp,
  })
  .meta({ id: "BankStatementFault" });
export type StatementFault = z.infer<typeof statementFault>;

export const statementFaultPage = pageOf(statementFault).meta({ id: "BankStatementFaultPage" });
export const statementFaultQuery = z.strictObject({ ...pageQuery });
