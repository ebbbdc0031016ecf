import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { zeroCounters } from "./account.ts";
import { canonicalJournal, digestOf, firstHead, headAfter } from "./canonical.ts";
import type { Journal } from "./journal.ts";

const line = {
  currency: "USD",
  layer: "Posted",
  role: "Normal",
  amountCents: 4_000n,
  totals: zeroCounters,
} as const;
const journal: Journal = {
  book: "book_01h455vb4pex5vsknk084sn02q",
  sequence: 7,
  kind: "Settle",
  transactionId: "lt_01h455vb4pex5vsknk084sn02s",
  orderId: "po_01h455vb4pex5vsknk084sn02s",
  commandId: "8d5e9a35-1d5a-5a3c-9a0b-3f6d3a2f1c11",
  resolves: 5,
  reverses: null,
  effectiveAt: "2026-03-02T15:00:00.000Z",
  entries: [
    { ...line, line: 1, version: 3, accountId: "la_01h455vb4pex5vsknk084sn02v", direction: "Debit" },
    { ...line, line: 2, version: 9, accountId: "la_01h455vb4pex5vsknk084sn02w", direction: "Credit" },
  ],
};

describe("the canonical form of a journal, version 1", () => {
  // Written out: a verifier in another language builds the same text. A change needs a version 2, not an edit here.
  const text = [
    "quittance.ledger.journal.v1",
    "book_01h455vb4pex5vsknk084sn02q",
    "7",
    "Settle",
    "lt_01h455vb4pex5vsknk084sn02s",
    "po_01h455vb4pex5vsknk084sn02s",
    "8d5e9a35-1d5a-5a3c-9a0b-3f6d3a2f1c11",
    "5",
    "-",
    "2026-03-02T15:00:00.000Z",
    "1 la_01h455vb4pex5vsknk084sn02v USD Posted Normal Debit 4000",
    "2 la_01h455vb4pex5vsknk084sn02w USD Posted Normal Credit 4000",
  ].join("\n");

  it("covers everything that `decide` decides", () => {
    expect(canonicalJournal(journal)).toBe(text);
  });

  it("is digested with SHA-256", () => {
    expect(digestOf(journal)).toBe(createHash("sha256").update(text).digest("hex"));
  });

  it("leaves no field of a line out", () => {
    const [first, second] = journal.entries;
    const changed = [{ ...first!, amountCents: 4_001n }, second!];
    expect(digestOf({ ...journal, entries: changed })).not.toBe(digestOf(journal));
    expect(digestOf({ ...journal, entries: [second!, first!] })).not.toBe(digestOf(journal));
  });
});

describe("the chain", () => {
  it("begins with the book, so that two books' chains never meet", () => {
    expect(firstHead("018f7c5e-0000-7000-8000-000000000001")).toBe(
      createHash("sha256")
        .update("quittance.ledger.book.v1\n018f7c5e-0000-7000-8000-000000000001")
        .digest("hex"),
    );
  });

  it("continues with SHA-256 over the bytes of the head and the digest", () => {
    const head = "00".repeat(32);
    const digest = "ff".repeat(32);
    const bytes = Buffer.concat([Buffer.alloc(32, 0), Buffer.alloc(32, 255)]);
    expect(headAfter(head, digest)).toBe(createHash("sha256").update(bytes).digest("hex"));
  });
});
