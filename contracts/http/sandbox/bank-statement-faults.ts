import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents } from "../../money.ts";
import { namedEnum } from "../../named-enum.ts";
import { bankSide } from "../ledger/reconciliations.ts";
import { createdAt, pageOf, pageQuery } from "../shapes.ts";

const faultKind = namedEnum("BankStatementFaultKind", "What is wrong with the statement.", {
  LineMissing: "A line is left out.",
  LineAdded: "A line is added that has no payment.",
  AmountChanged: "A line has the wrong amount.",
  WrongHash: "The statement is sent with a wrong hash.",
});
const faultStatus = namedEnum("BankStatementFaultStatus", "Where the fault is.", {
  Waiting: "Waits for a statement with such a line.",
  Printed: "On a statement.",
  Correcting: "The next statement corrects it.",
  Corrected: "Corrected, or dropped before it was printed.",
});

export const statementFaultCreate = z
  .strictObject({
    kind: faultKind,
    orderId: idSchema("po").optional().meta({
      description: "The payment whose line is wrong. Default: the newest line without an open fault.",
    }),
    bankReference: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: "The bank's reference of the line, in place of `orderId`." }),
    amountCents: amountCents.optional().meta({
      description: "The amount of the added line, or the wrong amount, in cents.",
    }),
    side: bankSide.optional().meta({ description: "The side of the added line. Default: Out." }),
  })
  .meta({ id: "BankStatementFaultCreate", description: "An error for the bank's next statement." });
export type StatementFaultCreate = z.infer<typeof statementFaultCreate>;

export const statementFault = z
  .object({
    id: idSchema("bsf"),
    kind: faultKind,
    status: faultStatus,
    orderId: idSchema("po").nullable().meta({ description: "The payment whose line is wrong." }),
    bankReference: z.string().nullable().meta({ description: "The bank's reference of the line." }),
    amountCents: amountCents.nullable().meta({ description: "The wrong amount, in cents." }),
    side: bankSide.nullable().meta({ description: "The side of an added line." }),
    statementId: idSchema("stm").nullable().meta({ description: "The statement that it was printed on." }),
    createdAt,
  })
  .meta({ id: "BankStatementFault", description: "An error on a simulated bank statement." });
export type StatementFault = z.infer<typeof statementFault>;

export const statementFaultPage = pageOf(statementFault).meta({
  id: "BankStatementFaultPage",
  description: "One page of statement errors.",
});
export const statementFaultQuery = z.strictObject({ ...pageQuery });
