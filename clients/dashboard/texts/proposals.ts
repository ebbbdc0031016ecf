export const proposalTexts = {
  waiting: (count: number) => (count === 1 ? "1 waits" : `${String(count)} wait`),
  by: (principal: string) => `proposed by ${principal},`,
  approve: "Approve",
  deny: "Deny",
  curl: "curl approve",
  approveNamed: (name: string) => `Approve: ${name}`,
  denyNamed: (name: string) => `Deny: ${name}`,
  refused: {
    self_approval_not_allowed: "You proposed it, or would gain by it: another person must approve it.",
    insufficient_scope: "You may read it, but not decide on it.",
    invalid_state_transition: "It can't be approved any more. Deny it, and propose it again.",
    other: "You can't approve it.",
  },
} as const;
