import { describe, expect, it } from "vitest";
import { noon, someTerms } from "../../../test/stack/payment-order.ts";
import { Refusal } from "../../../contracts/errors.ts";
import { idOf } from "../../../contracts/ids/ids.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import { checkSubmission } from "./submission-controls.ts";
import type { OrderTerms } from "./payment-order.ts";

interface Submitted extends Partial<OrderTerms> {
  readonly accountNumber?: string | null;
  readonly live?: boolean;
}

function submit({ accountNumber = "123456789", live = false, ...terms }: Submitted, now = noon): void {
  checkSubmission(someTerms(terms), accountNumber, live ? "Live" : "Test", now);
}

/** The code of the refusal and the pointer of its field, or "accepted". */
function refusalOf(submitted: Submitted): [string, string | undefined] | "accepted" {
  try {
    submit(submitted);
    return "accepted";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.code, error.errors?.[0]?.pointer];
  }
}

const book: Submitted = {
  rail: "Book",
  accountNumber: null,
  counterpartyAccount: null,
  counterpartyRoutingNumber: null,
  counterpartyLedgerAccountId: idOf("la", "019c0000-0000-7000-8000-000000000002"),
};
const wallet: Submitted = {
  rail: "Usdc",
  accountNumber: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  counterpartyRoutingNumber: "base",
};

describe("a sound order", () => {
  it.each<[string, Submitted]>([
    ["an Ach credit", {}],
    ["an Ach debit", { direction: "Debit" }],
    ["a SameDayAch debit", { rail: "SameDayAch", direction: "Debit" }],
    ["an RTP credit", { rail: "Rtp" }],
    ["a wire to an IBAN", { rail: "Wire", accountNumber: "DE89370400440532013000" }],
    ["a book transfer without a counterparty's name", { ...book, counterpartyName: null }],
    ["a book debit", { ...book, direction: "Debit" }],
    ["USDC on base", wallet],
    [
      "USDC on Solana",
      {
        ...wallet,
        accountNumber: "7EYnhQoR9YM3N7UoaKRoA44Uy8JeaZV3qyouov87awMs",
        counterpartyRoutingNumber: "solana",
      },
    ],
  ])("is accepted: %s", (_name, submitted) => {
    expect(refusalOf(submitted)).toBe("accepted");
  });
});

describe("the amount", () => {
  it("is refused before every other check if it comes from demo data", () => {
    expect(refusalOf({ basis: "Demo", accountNumber: null })).toEqual(["basis_is_demo_data", "/basis"]);
  });
  it("is refused if an input is missing", () => {
    expect(refusalOf({ basis: "Missing" })).toEqual(["basis_missing_input", "/basis"]);
  });
});

describe("the maximum amount of a rail", () => {
  it.each<[Rail, number, Submitted]>([
    ["Ach", 9_999_999_999, {}],
    ["SameDayAch", 100_000_000, {}],
    ["Rtp", 1_000_000_000, {}],
    ["Wire", 999_999_999_999, {}],
    ["Book", 999_999_999_999, book],
    ["Usdc", 999_999_999_999, wallet],
  ])("%s carries %i cents and not one more", (rail, amountCents, rest) => {
    expect(refusalOf({ ...rest, rail, amountCents })).toBe("accepted");
    expect(refusalOf({ ...rest, rail, amountCents: amountCents + 1 })).toEqual([
      "amount_above_rail_limit",
      "/amountCents",
    ]);
  });

  it("is the one in force on the New York date", () => {
    const million = { rail: "Rtp", amountCents: 100_000_001 } as const;
    // RTP's limit rose on 2025-02-09: New York's midnight is 05:00 UTC.
    expect(() => submit(million, new Date("2025-02-09T04:59:59.999Z"))).toThrow(
      expect.objectContaining({ context: { rail: "Rtp", limitCents: 100_000_000 } }),
    );
    expect(() => submit(million, new Date("2025-02-09T05:00:00.000Z"))).not.toThrow();
  });

  it("is named in the refusal", () => {
    expect(() => submit({ rail: "SameDayAch", amountCents: 100_000_001 })).toThrow(
      expect.objectContaining({ context: { rail: "SameDayAch", limitCents: 100_000_000 } }),
    );
  });
});

describe("the effective date", () => {
  // It is noon on Wednesday, 2026-03-04, in New York.
  it.each(["2026-03-04", "2026-03-07", "2027-03-05"])("may be %s", (effectiveDate) => {
    expect(refusalOf({ effectiveDate })).toBe("accepted");
  });

  it.each(["2026-03-03", "2027-03-06"])("can't be %s, which is past or too far ahead", (effectiveDate) => {
    expect(refusalOf({ effectiveDate })).toEqual(["effective_date_invalid", "/effectiveDate"]);
  });
});

describe("the direction", () => {
  it.each<[Rail, Submitted]>([
    ["Rtp", {}],
    ["Wire", {}],
    ["Usdc", wallet],
  ])("Debit is not carried by %s", (rail, rest) => {
    expect(refusalOf({ ...rest, rail, direction: "Debit" })).toEqual([
      "direction_not_supported",
      "/direction",
    ]);
  });
});

describe("the counterparty", () => {
  it.each<[string, Submitted, string]>([
    ["account number", { accountNumber: null }, "/counterpartyAccountNumber"],
    ["name", { counterpartyName: null }, "/counterpartyName"],
    ["routing number", { counterpartyRoutingNumber: null }, "/counterpartyRoutingNumber"],
  ])("must have its %s", (_what, submitted, pointer) => {
    expect(refusalOf(submitted)).toEqual(["counterparty_account_missing", pointer]);
  });

  it.each(["123", "123456789012345678", "12 345", "12-345", "١٢٣٤٥"])(
    "can't have the account number %j on Ach",
    (accountNumber) => {
      expect(refusalOf({ accountNumber })).toEqual(["invalid_field", "/counterpartyAccountNumber"]);
    },
  );

  it("may have up to 34 letters and digits on a wire", () => {
    expect(refusalOf({ rail: "Wire", accountNumber: "A".repeat(34) })).toBe("accepted");
    expect(refusalOf({ rail: "Wire", accountNumber: "A".repeat(35) })).toEqual([
      "invalid_field",
      "/counterpartyAccountNumber",
    ]);
  });

  it.each(["021000020", "000000000", "02100002", "0210000210", "02100002a", "base"])(
    "can't have the routing number %j",
    (counterpartyRoutingNumber) => {
      expect(refusalOf({ counterpartyRoutingNumber })).toEqual([
        "invalid_routing_number",
        "/counterpartyRoutingNumber",
      ]);
    },
  );

  it.each(["021000021", "790001005"])("may have the routing number %j", (counterpartyRoutingNumber) => {
    expect(refusalOf({ counterpartyRoutingNumber })).toBe("accepted");
  });

  it("can't be the same account on the book", () => {
    const ledgerAccountId = someTerms().ledgerAccountId;
    expect(refusalOf({ ...book, counterpartyLedgerAccountId: ledgerAccountId })).toEqual([
      "same_account",
      "/counterpartyAccountNumber",
    ]);
  });
});

describe("a wallet", () => {
  const address = "/counterpartyAccountNumber";
  it.each([
    ["that fails its EIP-55 checksum", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", "ethereum", address],
    ["that is too short", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeA", "polygon", address],
    ["of nobody", "0x0000000000000000000000000000000000000000", "ethereum", address],
    ["that is the token itself", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "base", address],
    ["of Solana on an EVM network", "7EYnhQoR9YM3N7UoaKRoA44Uy8JeaZV3qyouov87awMs", "base", address],
    ["of an EVM network on Solana", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "solana", address],
    [
      "on a network we don't know",
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "tron",
      "/counterpartyRoutingNumber",
    ],
  ])("is refused %s", (_why, accountNumber, counterpartyRoutingNumber, pointer) => {
    expect(refusalOf({ ...wallet, accountNumber, counterpartyRoutingNumber })).toEqual([
      "invalid_wallet_address",
      pointer,
    ]);
  });

  // The examples of EIP-55 itself.
  it.each([
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0xde709f2102306220921060314715629080e2fb77",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
  ])("passes as %s", (accountNumber) => {
    expect(refusalOf({ ...wallet, accountNumber, counterpartyRoutingNumber: "ethereum" })).toBe("accepted");
  });
});

describe("a Live book without adapters", () => {
  it.each<[Rail, Submitted]>([
    ["Ach", {}],
    ["SameDayAch", {}],
    ["Rtp", {}],
    ["Wire", {}],
    ["Usdc", wallet],
  ])("refuses %s by name: nothing live is ever simulated", (rail, rest) => {
    expect(refusalOf({ ...rest, rail, live: true })).toEqual(["rail_not_configured", undefined]);
  });

  it("still carries book transfers", () => {
    expect(refusalOf({ ...book, live: true })).toBe("accepted");
  });
});

describe("a magic account number", () => {
  it("is refused if its code can't happen on that rail and direction, naming those that can", () => {
    expect(refusalOf({ accountNumber: "100001" })).toEqual(["simulation_not_applicable", undefined]);
    expect(() => submit({ accountNumber: "100001" })).toThrow(/R01.*Credit over Ach.*R02/);
  });

  it("is accepted if its code can happen", () => {
    expect(refusalOf({ accountNumber: "100002" })).toBe("accepted");
    expect(refusalOf({ accountNumber: "100001", direction: "Debit" })).toBe("accepted");
    expect(refusalOf({ rail: "Rtp", accountNumber: "300403" })).toBe("accepted");
    expect(refusalOf({ rail: "Wire", accountNumber: "400000" })).toBe("accepted");
  });
});

it("shows no account number in any refusal", () => {
  const refused: Submitted[] = [
    { accountNumber: "12345678901234567890" },
    { accountNumber: "1234567890", counterpartyRoutingNumber: "021000020" },
    { ...wallet, accountNumber: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD" },
    { accountNumber: "1234567890", live: true },
  ];
  for (const submitted of refused) {
    expect(() => submit(submitted)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining(String(submitted.accountNumber)) }),
    );
  }
});
