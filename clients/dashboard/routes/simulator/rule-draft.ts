/** What the form of a rule holds, and the body that it comes to. */
import type {
  InjectionCreate,
  InjectionFault,
  OrderDirection,
  Rail,
  TimeoutThen,
} from "../../../typescript/types.gen.ts";

export type Matched = "rail" | "orderId" | "externalId" | "accountNumber";

export interface RuleDraft {
  readonly fault: InjectionFault;
  readonly matched: Matched;
  readonly rail: Rail;
  /** The order's id or reference, or the account number. */
  readonly value: string;
  readonly direction: OrderDirection | "";
  readonly code: string;
  readonly then: TimeoutThen;
  readonly delaySeconds: string;
  readonly percent: string;
  readonly count: string;
  readonly newAccountNumber: string;
  readonly newRoutingNumber: string;
  readonly newName: string;
}

export const emptyRule: RuleDraft = {
  fault: "Return",
  matched: "rail",
  rail: "Ach",
  value: "",
  direction: "",
  code: "",
  then: "Settle",
  delaySeconds: "3600",
  percent: "",
  count: "",
  newAccountNumber: "",
  newRoutingNumber: "",
  newName: "",
};

/** The faults that give a code. */
export const withCode: ReadonlySet<InjectionFault> = new Set<InjectionFault>([
  "Return",
  "LateReturn",
  "Reject",
  "OutOfOrder",
  "DuplicateReturn",
  "UnmatchedReturn",
  "NoticeOfChange",
]);

/** Undefined while something is missing. What is no number is left for the API to refuse. */
export function bodyOfRule(draft: RuleDraft): InjectionCreate | undefined {
  const { fault, matched, rail, direction } = draft;
  const value = draft.value.trim();
  if (matched !== "rail" && value === "") return undefined;
  return {
    match: {
      ...(matched === "rail" ? { rail } : { [matched]: value }),
      ...(direction === "" ? {} : { direction }),
    },
    fault,
    ...(withCode.has(fault) && draft.code.trim() !== "" ? { code: draft.code.trim().toUpperCase() } : {}),
    ...(fault === "Timeout" ? { then: draft.then } : {}),
    ...(fault === "Delay" ? { delaySeconds: Number(draft.delaySeconds) } : {}),
    ...(draft.percent.trim() === "" ? {} : { share: Number(draft.percent) / 100 }),
    ...(draft.count.trim() === "" ? {} : { count: Number(draft.count) }),
    ...(fault === "NoticeOfChange" ? { correctedData: correctionOf(draft) } : {}),
  };
}

function correctionOf({ newAccountNumber, newRoutingNumber, newName }: RuleDraft) {
  return {
    ...(newAccountNumber === "" ? {} : { accountNumber: newAccountNumber }),
    ...(newRoutingNumber === "" ? {} : { routingNumber: newRoutingNumber }),
    ...(newName === "" ? {} : { name: newName }),
  };
}
