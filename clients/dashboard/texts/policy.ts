export const policyTexts = {
  title: "Approval policy",
  inForce: "In force",
  edit: "Approval rules",
  readOnly: "You may read the policy, but not change it.",
  money: "US dollars",
  notMoney: "An amount in dollars, such as 10,000.00",
  fields: {
    approvalThresholdCents: "One approval above",
    dualApprovalThresholdCents: "Two approvals above",
    dualApprovalRails: "Rails that always need two approvals",
    requireApprovalForAll: "Every order needs an approval",
    allowSelfApproval: "A maker may approve an order that needs one approval",
    requireVerifiedCounterparty: "Orders must name a verified counterparty",
    requireApprovalForLedgerTransactions: "Ledger transactions above the threshold need a second person",
    dailyLimitCents: "Daily limit",
    noLimit: "No limit",
    approvalExpiresAfterHours: "Orders expire without approval after",
    hours: "hours",
  },
  values: { yes: "Yes", no: "No", none: "None" },
  preview: {
    title: "What this changes",
    none: "Change a field, and what it does is shown here before anything is sent.",
    Unchanged: "Nothing: this is the policy in force.",
    InForce: "Nothing becomes looser, so it is in force at once.",
    Proposed: "Something becomes looser, so another person must approve it.",
    looser: "Looser",
    stricter: "Stricter",
    before: "Now:",
    needMore: (count: number) =>
      count === 1
        ? "1 waiting order would need more approvals"
        : `${String(count)} waiting orders would need more approvals`,
    expire: (count: number) =>
      count === 1
        ? "1 waiting order would be cancelled at once"
        : `${String(count)} waiting orders would be cancelled at once`,
    untouched: "No waiting order is touched.",
    missing: (count: number) => (count === 1 ? "1 approval missing" : `${String(count)} approvals missing`),
    examined: (count: number) => `Only the first ${String(count)} waiting orders were compared.`,
    never: "A waiting order never needs fewer approvals than before.",
  },
  send: { InForce: "Apply policy", Proposed: "Propose policy", Unchanged: "Apply policy" },
  asking: "Asking your passkey…",
  reset: "Undo the changes",
  sent: {
    inForce: "The policy is in force.",
    proposed: "It is proposed. Another person must approve it.",
    changed: "Another policy is in force since you opened this page. The form shows it.",
  },
  proposals: "Proposed policies",
  proposal: (fields: string) => `Looser in: ${fields}`,
  decided: {
    title: "Decided",
    none: "No proposal has been decided yet.",
    by: (status: string, principal: string) => `${status} by ${principal}`,
  },
} as const;
