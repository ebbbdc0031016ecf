import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { namedEnum } from "../../named-enum.ts";
import { orderDirection, rail } from "../../rails/rails.ts";
import { lineText } from "../../text/text.ts";
import { correctedData } from "../payments/proposed-changes.ts";
import { anyTime, createdAt, pageOf, pageQuery, principal, sentExternalId, timestamp } from "../shapes.ts";

export const injectionFault = namedEnum("InjectionFault", "What the rail does with a payment.", {
  Return: "Returns it before completion, with `code`.",
  LateReturn:
    "Settles it, and returns it with `code`: in an Instant book after completion, else when the window of the code ends. For most codes that is before completion.",
  Reject: "Rejects it. On Rtp with `code`.",
  Timeout: "Says nothing until it is asked; then does what `then` says.",
  LostAcknowledgement: "Never says that it accepted the payment. The rest is as usual.",
  DuplicateFacts: "Reports everything twice.",
  OutOfOrder: "Reports a return, with `code`, before the settlement.",
  Delay: "Reports everything `delaySeconds` late.",
  Outage: "Takes nothing and says nothing until the rule ends.",
  DuplicateReturn: "Returns it as `LateReturn` does, with `code`, and again under another trace number.",
  UnmatchedReturn: "Settles it, and returns an entry, with `code`, that is none of yours.",
  SentBack: "Settles it, and its receiver sends the money back as a new payment. Only on Wire.",
  NoticeOfChange: "Settles it, and reports `correctedData` for its receiver, with a change `code`.",
});
export type InjectionFault = z.infer<typeof injectionFault>;

export const timeoutThen = namedEnum("TimeoutThen", "What a rail that timed out does when it is asked.", {
  Settle: "It has settled the payment.",
  Fail: "It has rejected the payment.",
  NeverArrived: "It does not know the payment, which is then handed off again under the same reference.",
});
export type TimeoutThen = z.infer<typeof timeoutThen>;

const status = namedEnum("InjectionStatus", "Whether the rule still acts.", {
  Active: "Acts on the next payment that it matches.",
  Used: "Has acted `count` times.",
  Ended: "Was ended, or its `until` has passed on the book's clock.",
});

const direction = orderDirection.optional().meta({ description: "Only payments of this direction." });

/** What a rule matches, but for the account number, which never leaves the gateway in the clear. */
export const matchWithoutAccount = {
  orderId: idSchema("po").optional().meta({ description: "This payment order." }),
  externalId: sentExternalId.optional().meta({ description: "The order with this `externalId`." }),
  rail: rail.optional().meta({ description: "Every payment on this rail. Book has no rail to simulate." }),
  direction,
};

/** The members of `match` of which a rule has exactly one. */
export const matchMembers = ["orderId", "externalId", "rail", "accountNumber"] as const;
const hasOneMember = (match: object) =>
  matchMembers.filter((name) => (match as Record<string, unknown>)[name] !== undefined).length === 1;
const oneMember = "must have exactly one of orderId, externalId, rail and accountNumber";
/** Both shapes of a match, before and after the gateway has encrypted the account number, have one member. */
export const withOneMember = <Match extends z.ZodType<object>>(match: Match) =>
  match.refine(hasOneMember, { message: oneMember });

/** What the receiver's bank corrects, but for the account number. */
export const correctionWithoutAccount = {
  routingNumber: z
    .string()
    .max(20)
    .optional()
    .meta({ description: "C02, C03, C07: the routing number.", examples: ["790001102"] }),
  name: lineText(100).min(1).optional().meta({ description: "C04: the receiver's name." }),
  transactionCode: z
    .string()
    .regex(/^[2-5]\d$/)
    .optional()
    .meta({ description: "C05, C06, C07: the transaction code, such as 32 for a savings credit." }),
  individualId: lineText(15).min(1).optional().meta({ description: "C09: the individual id." }),
};

/** The members of a rule that no account number is in. */
export const ruleWithoutNumbers = {
  fault: injectionFault,
  code: z
    .string()
    .regex(/^[A-Z0-9]{3,4}$/)
    .optional()
    .meta({
      description: "The return, reject or change code. Default: R03, and R01 for a Debit; on Rtp AC04.",
      examples: ["R03"],
    }),
  then: timeoutThen.optional().meta({ description: "Only with Timeout. Default: Settle." }),
  delaySeconds: z
    .int()
    .min(1)
    .max(7_776_000)
    .optional()
    .meta({ description: "Only with Delay, where it is required: at most 90 days." }),
  share: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .meta({
      description: "The share of the matching payments on which the rule acts. Default: all.",
      examples: [0.1],
    }),
  seed: lineText(64).min(1).optional().meta({
    description:
      "Only with `share`: decides which payments. The same seed picks the same ones. Default: the clock's seed.",
  }),
  count: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .meta({ description: "On how many payments it acts at most. Default: no limit." }),
  until: anyTime
    .optional()
    .meta({ description: "It ends at this time of the book's clock. Default: never." }),
};

const accountNumber = z.string().min(1).max(100);

export const correctionBody = z
  .strictObject({
    accountNumber: accountNumber.optional().meta({ description: "C01, C03, C06, C07: the number." }),
    ...correctionWithoutAccount,
  })
  .meta({ id: "CorrectedDataCreate", description: "What a change code corrects, no more and no less." });

export const injectionCreate = z
  .strictObject({
    match: withOneMember(
      z.strictObject({
        ...matchWithoutAccount,
        accountNumber: accountNumber.optional().meta({
          description: "Payments to this account number or wallet. Stored as a keyed hash.",
          examples: ["000123456789"],
        }),
      }),
    ).meta({ id: "InjectionMatchCreate", description: "The payments on which the rule acts: one member." }),
    ...ruleWithoutNumbers,
    correctedData: correctionBody
      .optional()
      .meta({ description: "Only with NoticeOfChange: what its code corrects, no more and no less." }),
  })
  .meta({ id: "InjectionCreate", description: "A rule for what rails do with payments of a Test book." });
export type InjectionCreate = z.infer<typeof injectionCreate>;

const masked = (of: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${of}, masked.` });
const text = (description: string) => z.string().nullable().meta({ description });

export const injection = z
  .object({
    id: idSchema("inj"),
    status,
    match: z
      .object({
        orderId: idSchema("po").nullable(),
        externalId: text("The order's `externalId`."),
        rail: rail.nullable().meta({ description: "Every payment on this rail." }),
        accountNumber: masked("The account number"),
        direction: orderDirection.nullable().meta({ description: "Only payments of this direction." }),
      })
      .meta({ id: "InjectionMatch", description: "The payments on which the rule acts." }),
    fault: injectionFault,
    code: text("The code that it gives; null for the default, or for none."),
    then: timeoutThen.nullable().meta({ description: "What it does when it is asked." }),
    delaySeconds: z.int().nullable().meta({ description: "How late it reports." }),
    correctedData: correctedData.nullable().meta({ description: "What a notice of change corrects." }),
    share: z.number().nullable().meta({ description: "The share of payments on which it acts." }),
    seed: text("What decides on which payments."),
    count: z.int().nullable().meta({ description: "On how many payments it acts at most." }),
    until: timestamp.nullable().meta({ description: "When it ends, on the book's clock." }),
    applied: z.int().meta({ description: "On how many payments it has acted. An Outage is not counted." }),
    shadowedBy: idSchema("inj").nullable().meta({
      description:
        "An older rule that takes every payment that this one matches. While it is active, this one never acts.",
    }),
    createdBy: principal("Who made it."),
    createdAt,
    endedBy: principal("Who ended it.").nullable(),
    endedAt: timestamp.nullable().meta({ description: "When it was ended or used up." }),
  })
  .meta({ id: "Injection", description: "A rule for what rails do with payments of a Test book." });
export type InjectionView = z.infer<typeof injection>;

export const injectionPage = pageOf(injection).meta({
  id: "InjectionPage",
  description: "One page of rules.",
});
export const injectionQuery = z.strictObject({ ...pageQuery });
