/** What the banks of receivers correct: on the order that met it, and as proposed changes of its counterparty. */
import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { namedEnum } from "../../named-enum.ts";
import { rail } from "../../rails/rails.ts";
import { oneOrMany, pageOf, pageQuery, principal, timestamp } from "../shapes.ts";

const text = (description: string) => z.string().nullable().meta({ description });

export const correctedData = z
  .object({
    accountNumber: text("The corrected account number, masked."),
    routingNumber: text("The corrected routing number."),
    name: text("The corrected name."),
    transactionCode: text("The corrected transaction code."),
    individualId: text("The corrected individual id."),
  })
  .meta({ id: "CorrectedData", description: "What a notice of change corrects." });
export type CorrectedData = z.infer<typeof correctedData>;

const code = z.string().meta({ description: "The change code, such as `C01`.", examples: ["C02"] });
const receivedAt = timestamp.meta({ description: "When the notice arrived, on the book's clock." });

export const noticeOfChange = z
  .object({
    code,
    correctedData,
    receivedAt,
    proposedChangeId: idSchema("chg").nullable().meta({
      description:
        "The change that it proposes of the order's counterparty. Null if the order names none, or if the counterparty no longer has what is corrected.",
    }),
  })
  .meta({ id: "NoticeOfChange", description: "The receiver's bank corrects the data of a payment." });

export const proposedChangeStatus = namedEnum("ProposedChangeStatus", "What became of the proposal.", {
  Open: "Accept or dismiss it.",
  Accepted: "The counterparty has the corrected data.",
  Dismissed: "The counterparty was left as it is.",
  Superseded: "The details that it corrects were changed before anybody decided.",
});

export const proposedChange = z
  .object({
    id: idSchema("chg"),
    counterpartyId: idSchema("cp"),
    paymentOrderId: idSchema("po").meta({ description: "The order whose notice of change came first." }),
    status: proposedChangeStatus,
    rails: z.array(rail).meta({ description: "The rails of the accounts that it is about." }),
    code,
    correctedData,
    receivedAt,
    correctBy: timestamp.meta({
      description:
        "From then on, while it is Open, new orders to the counterparty on these rails are refused: the end of the sixth banking day after the notice.",
    }),
    decidedBy: principal("Who accepted or dismissed it, or changed the details.").nullable(),
    decidedAt: timestamp.nullable().meta({ description: "When it was decided, in real time." }),
  })
  .meta({ id: "ProposedChange", description: "A correction that the counterparty's bank asks for." });
export type ProposedChange = z.infer<typeof proposedChange>;

export const proposedChangePage = pageOf(proposedChange).meta({
  id: "ProposedChangePage",
  description: "One page of proposed changes.",
});
export const proposedChangeQuery = z.strictObject({
  ...pageQuery,
  status: oneOrMany(proposedChangeStatus, "What became of the proposal."),
});
