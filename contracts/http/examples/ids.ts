/** Ids that several examples share. */
export const ids = {
  order: "po_01jd3k5s8ye9v8z2r0q3m7n4xa",
  account: "la_01jd3k4q2meaj9w6t1v8c5b3zd",
  transaction: "lt_01jd3k5s9re1g8h4k7p2n6q0wf",
  holdEntry: "le_01jd3k5s9re1g8h4k7p2n6q0wg",
  dischargeEntry: "le_01jd3k5sd4e7ma3v9y5x1c8b2h",
  obligation: "ob_01jd3k5rw4f0xa7d2m6t9p3h8n",
  liability: "la_01jd3k5rw4f0xa7d2m6t9p3h8n",
  virtualAccount: "va_01jd3k4t8mfq2s5v7w0z3x6b9n",
  inboundPayment: "ip_01jd3k7a2cfm5r8v1w4z6x9b3n",
  counterparty: "cp_01jd3k3w7hf5r8s1d6z0q4j9tk",
  proposedChange: "chg_01jd3k8c5hfq9s2v6w1z4x7b0n",
  endpoint: "we_01jd3k2n6vfc4b8m0x7p5g3hyj",
  delivery: "wh_01jd3k5sdzf2w6t9q1r8k4v7na",
  event: "evt_01jd3k5sdvexk3j8h6g1m9p5c2",
  replay: "rpl_01jd3k9d6kfr0t3w7x2y5z8c1m",
  sink: "sink_01jd3k2r5de6n0y4w8b7v3f1sq",
  key: "key_01jd3k1a4bfh7s2x9m6q0t5r8c",
  proposal: "prop_01jd3k6h1ge4p8w3z5v7n2k9yd",
  tenant: "ten_01jd3j9x0cfr6t2w5z8v1n4m7q",
  person: "per_01jd3jb4k2em9s6v3x7z1c5n8t",
  session: "ses_01jd3jc6m4fn0t7w4y8a2d6p9v",
  auditEntry: "aud_01jd3jd8n6gp1v8x5z9b3e7q0w",
} as const;

/** A time on the day of the examples: this many milliseconds after its start. */
export function at(ms: number): string {
  return new Date(Date.UTC(2026, 2, 2, 15) + ms).toISOString();
}
