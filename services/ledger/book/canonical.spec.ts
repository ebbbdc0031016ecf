import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { zeroCounters } from "./account.ts";
import { canonicalJournal, type Digested, digestOf, firstHead, headAfter } from "./canonical.ts";
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
  detailsDigest: "a".repeat(64),
  entries: [
    { ...line, line: 1, version: 3, accountId: "la_01h455vb4pex5vsknk084sn02v", direction: "Debit" },
    { ...line, line: 2, version: 9, accountId: "la_01h455vb4pex5vsknk084sn02w", direction: "Credit" },
  ],
};

// Written out: a verifier in another language builds the same texts. A change needs a version 3, not an edit here.
const common = [
  "book_01h455vb4pex5vsknk084sn02q",
  "7",
  "Settle",
  "lt_01h455vb4pex5vsknk084sn02s",
  "po_01h455vb4pex5vsknk084sn02s",
  "8d5e9a35-1d5a-5a3c-9a0b-3f6d3a2f1c11",
  "5",
  "-",
  "2026-03-02T15:00:00.000Z",
];
const lines = [
  "1 la_01h455vb4pex5vsknk084sn02v USD Posted Normal Debit 4000",
  "2 la_01h455vb4pex5vsknk084sn02w USD Posted Normal Credit 4000",
];
const recordedAt = "2026-03-02T15:00:01.000002Z";
const first = { digestVersion: 1, recordedAt } as const;
const second: Digested = { digestVersion: 2, recordedAt };
const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest();

describe("the digest of a journal, version 1", () => {
  it("is the SHA-256 of everything that `decide` decides", () => {
    const text = ["quittance.ledger.journal.v1", ...common, ...lines].join("\n");
    expect(canonicalJournal(journal, 1)).toBe(text);
    expect(digestOf(journal, first)).toBe(sha256(text).toString("hex"));
  });

  it("covers neither the record time nor the details", () => {
    const other = { ...first, recordedAt: "2026-03-02T15:00:01.000003Z" };
    expect(digestOf({ ...journal, detailsDigest: null }, other)).toBe(digestOf(journal, first));
  });
});

describe("the digest of a journal, version 2", () => {
  it("covers the details too, and then the microseconds from the year 2000 to its record", () => {
    const text = ["quittance.ledger.journal.v2", ...common, "a".repeat(64), ...lines].join("\n");
    expect(canonicalJournal(journal, 2)).toBe(text);
    // 9557 days, 15 hours, one second and two microseconds.
    const micros = Buffer.from("0002ef0a9c18be42", "hex");
    expect(digestOf(journal, second)).toBe(sha256(Buffer.concat([sha256(text), micros])).toString("hex"));
  });

  it("leaves nothing out", () => {
    const [debit, credit] = journal.entries;
    const changed: [Journal, Digested][] = [
      [{ ...journal, entries: [{ ...debit!, amountCents: 4_001n }, credit!] }, second],
      [{ ...journal, entries: [credit!, debit!] }, second],
      [{ ...journal, detailsDigest: null }, second],
      [journal, { ...second, recordedAt: "2026-03-02T15:00:01.000003Z" }],
    ];
    const digests = changed.map(([other, when]) => digestOf(other, when));
    expect(new Set([...digests, digestOf(journal, second), digestOf(journal, first)]).size).toBe(6);
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
