import { describe, expect, it } from "vitest";
import { newId } from "../../../../contracts/ids/ids.ts";
import type { StatementLine, StatementPart } from "../../../../contracts/messages/bank-statements.ts";
import { statementHash } from "../../../../contracts/statement-hash.ts";
import { joinParts, StatementRefused } from "./bank-statement.ts";

const book = newId("book");
const lines: StatementLine[] = [1, 2, 3].map((line) => ({
  line,
  account: "SettlementCash",
  side: line === 2 ? "Out" : "In",
  amountCents: line * 100,
  reference: `REF${String(line)}`,
  customerReference: null,
  kind: "Inbound",
  occurredAt: "2026-03-02T15:00:00.000Z",
}));
const unhashed = {
  id: newId("stm"),
  number: 1,
  date: "2026-03-02",
  previousStatementId: null,
  endsAt: "2026-03-03T05:00:00.000Z",
  openingBalanceCents: 1_000,
  closingBalanceCents: 1_200,
  lineCount: 3,
  hash: "",
};
const hashed = { ...unhashed, hash: statementHash(book, unhashed, lines) };
const inTwo = (statement = hashed): StatementPart[] => [
  { statement, part: 1, parts: 2, lines: lines.slice(0, 2) },
  { statement, part: 2, parts: 2, lines: lines.slice(2) },
];

describe("a statement", () => {
  it("is joined from its parts, in any order", () => {
    expect(joinParts(book, inTwo().toReversed())).toEqual({ header: hashed, lines });
  });

  it("is null while a part is missing", () => {
    expect(joinParts(book, [])).toBeNull();
    expect(joinParts(book, inTwo().slice(1))).toBeNull();
  });

  const changed: [string, StatementPart[]][] = [
    ["a hash of something else", inTwo({ ...hashed, hash: "0".repeat(64) })],
    ["another closing balance", inTwo({ ...hashed, closingBalanceCents: 1_201 })],
    ["another end", inTwo({ ...hashed, endsAt: "2026-03-03T05:00:00.001Z" })],
    [
      "another amount",
      inTwo().map((part) => ({ ...part, lines: part.lines.map((line) => ({ ...line, amountCents: 1 })) })),
    ],
    ["a line too few", inTwo().map((part) => ({ ...part, lines: part.lines.slice(1) }))],
    ["a part twice", [inTwo()[0]!, inTwo()[0]!]],
    ["parts of two statements", [inTwo()[0]!, inTwo({ ...hashed, hash: "1".repeat(64) })[1]!]],
  ];
  it.each(changed)("is refused with %s, as a permanent error that names it", (_what, parts) => {
    const refusal = (() => {
      try {
        return joinParts(book, parts);
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(StatementRefused);
    expect(refusal).toMatchObject({ code: "bank_statement_refused", permanent: true });
    expect((refusal as Error).message).toContain(hashed.id);
  });

  it("is refused if its sum is wrong, although its hash is right", () => {
    const wrong = { ...unhashed, closingBalanceCents: 1_199 };
    const parts = inTwo({ ...wrong, hash: statementHash(book, wrong, lines) });
    expect(() => joinParts(book, parts)).toThrow("has a closing balance that its lines do not add up to");
  });

  it("is refused for another book, because the hash covers the book", () => {
    expect(() => joinParts(newId("book"), inTwo())).toThrow("has a hash that does not match its content");
  });
});

describe("its hash", () => {
  it("is the same for any order of members, and has this value", () => {
    const fixed = {
      ...unhashed,
      id: "stm_01jd3k9v2qe8m5r1t7w4y6z3bn" as const,
    };
    const ofBook = "book_01jd3k9v2qe8m5r1t7w4y6z3bn" as const;
    const turned = lines.map(
      (line) => Object.fromEntries(Object.entries(line).toReversed()) as unknown as StatementLine,
    );
    expect(statementHash(ofBook, fixed, turned)).toBe(statementHash(ofBook, fixed, lines));
    expect(statementHash(ofBook, fixed, lines)).toBe(
      // Computed outside of this code base, from the format that statement-hash.ts describes.
      "d332deaaf0b66e0b604abe4b5d3864c0c8fc9274abb160dca2a44778e5aa0028",
    );
  });
});
