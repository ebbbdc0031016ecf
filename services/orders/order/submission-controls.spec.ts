import { describe, expect, it } from "vitest";
import { noon, someTerms } from "../../../test/stack/orders/payment-order.ts";
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
function outcomeOf(submitted: Submitted): string {
  try {
    submit(submitted);
    return "accepted";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.code, ...(error.errors ?? []).map(({ pointer }) => pointer)].join(" ");
  }
}

const book: Submitted = {
  rail: "Book",
  accountNumber: null,
  counterpartyAccount: null,
  counterpartyRoutingNumber: null,
  counterpartyLedgerAccountId: idOf("la", "019c0000-0000-7000-8000-000000000002"),
};
const sameAccount: Submitted = { ...book, counterpartyLedgerAccountId: someTerms().ledgerAccountId };
const wallet: Submitted = {
  rail: "Usdc",
  accountNumber: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  counterpartyRoutingNumber: "base",
};

const evmWallet = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const solanaWallet = "7EYnhQoR9YM3N7UoaKRoA44Uy8JeaZV3qyouov87awMs";
const onNetwork = (counterpartyRoutingNumber: string, accountNumber: string): Submitted => ({
  ...wallet,
  accountNumber,
  counterpartyRoutingNumber,
});

describe("a sound order", () => {
  it.each<[string, Submitted]>([
    ["an Ach credit", {}],
    ["an Ach debit", { direction: "Debit" }],
    ["a SameDayAch debit", { rail: "SameDayAch", direction: "Debit" }],
    ["an RTP credit", { rail: "Rtp" }],
    ["a wire to an IBAN", { rail: "Wire", accountNumber: "DE89370400440532013000" }],
    ["a book transfer without a counterparty's name", { ...book, counterpartyName: null }],
    ["a book debit", { ...book, direction: "Debit" }],
    ["a book transfer in a Live book, which needs no adapter", { ...book, live: true }],
    ["USDC on base", wallet],
    ["USDC on Solana", onNetwork("solana", solanaWallet)],
    // It is noon on Wednesday, 2026-03-04, in New York.
    ["an effective date of today", { effectiveDate: "2026-03-04" }],
    ["an effective date of a Saturday", { effectiveDate: "2026-03-07" }],
    ["an effective date a year ahead", { effectiveDate: "2027-03-05" }],
    ["a name of 22 characters on Ach", { counterpartyName: "Riverside Fuel Oil, 22" }],
    ["a name of 140 characters by wire", { rail: "Wire", counterpartyName: "n".repeat(140) }],
    ["any text within a book", { ...book, counterpartyName: "Müller 東京", statementDescriptor: "Zürich" }],
    ["any text with USDC", { ...wallet, counterpartyName: "Müller 東京".repeat(4) }],
    ["the routing number 021000021", { counterpartyRoutingNumber: "021000021" }],
    ["the routing number 790001005", { counterpartyRoutingNumber: "790001005" }],
    // The examples of EIP-55 itself.
    ["an address in upper case", onNetwork("ethereum", "0x52908400098527886E0F7030069857D2E4169EE7")],
    ["an address in lower case", onNetwork("ethereum", "0xde709f2102306220921060314715629080e2fb77")],
    ["a checksummed address", onNetwork("ethereum", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359")],
    ["a reversal in words of one's own on Ach", { statementDescriptor: "REVERSAL 7" }],
    ["a wire with the word that only Nacha reserves", { rail: "Wire", statementDescriptor: "REVERSAL" }],
    ["another checksummed address", onNetwork("ethereum", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb")],
  ])("is accepted: %s", (_name, submitted) => {
    expect(outcomeOf(submitted)).toBe("accepted");
  });
});

describe("an order is refused", () => {
  const account = "/counterpartyAccountNumber";
  const routing = "/counterpartyRoutingNumber";
  it.each<[refusal: string, why: string, Submitted]>([
    [
      "basis_is_demo_data /basis",
      "demo data, before every other check",
      { basis: "Demo", accountNumber: null },
    ],
    ["basis_missing_input /basis", "an amount that lacks an input", { basis: "Missing" }],
    ["effective_date_invalid /effectiveDate", "a past date", { effectiveDate: "2026-03-03" }],
    ["effective_date_invalid /effectiveDate", "a date too far ahead", { effectiveDate: "2027-03-06" }],
    [
      "text_not_supported /counterpartyName",
      "a name of 23 characters on Ach",
      { counterpartyName: "Riverside Fuel & Oil 23" },
    ],
    [
      "text_not_supported /counterpartyName",
      "a name of 23 characters on SameDayAch",
      { rail: "SameDayAch", counterpartyName: "Riverside Fuel & Oil 23" },
    ],
    ["text_not_supported /counterpartyName", "an umlaut on Ach", { counterpartyName: "Müller" }],
    [
      "text_not_supported /counterpartyName",
      "a Cyrillic letter over RTP",
      { rail: "Rtp", counterpartyName: "Аda" },
    ],
    [
      "text_not_supported /counterpartyId",
      "the name of a stored counterparty by wire",
      {
        rail: "Wire",
        counterpartyName: "Müller",
        counterpartyId: idOf("cp", "019c0000-0000-7000-8000-000000000003"),
      },
    ],
    [
      "text_not_supported /statementDescriptor",
      "an umlaut on the statement",
      { statementDescriptor: "ZÜRICH" },
    ],
    [
      "text_not_supported /statementDescriptor",
      "the word that Nacha reserves for reversing entries, in any case",
      { statementDescriptor: " Reversal" },
    ],
    ["direction_not_supported /direction", "a debit over RTP", { rail: "Rtp", direction: "Debit" }],
    ["direction_not_supported /direction", "a debit by wire", { rail: "Wire", direction: "Debit" }],
    ["direction_not_supported /direction", "a debit of USDC", { ...wallet, direction: "Debit" }],
    [`counterparty_account_missing ${account}`, "no account number", { accountNumber: null }],
    ["counterparty_account_missing /counterpartyName", "no counterparty's name", { counterpartyName: null }],
    [`counterparty_account_missing ${routing}`, "no routing number", { counterpartyRoutingNumber: null }],
    [`same_account ${account}`, "the order's own account on the book", sameAccount],
  ])("as %s: %s", (refusal, _why, submitted) => {
    expect(outcomeOf(submitted)).toBe(refusal);
  });

  it.each(["123", "123456789012345678", "12 345", "12-345", "١٢٣٤٥"])(
    "for the account number %j on Ach",
    (accountNumber) => {
      expect(outcomeOf({ accountNumber })).toBe(`invalid_field ${account}`);
    },
  );

  it.each(["021000020", "000000000", "02100002", "0210000210", "02100002a", "base"])(
    "for the routing number %j",
    (counterpartyRoutingNumber) => {
      expect(outcomeOf({ counterpartyRoutingNumber })).toBe(`invalid_routing_number ${routing}`);
    },
  );

  it("for more than 34 letters and digits on a wire", () => {
    expect(outcomeOf({ rail: "Wire", accountNumber: "A".repeat(34) })).toBe("accepted");
    expect(outcomeOf({ rail: "Wire", accountNumber: "A".repeat(35) })).toBe(`invalid_field ${account}`);
  });

  it.each([
    ["that fails its EIP-55 checksum", "ethereum", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", account],
    ["that is too short", "polygon", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeA", account],
    ["of nobody", "ethereum", "0x0000000000000000000000000000000000000000", account],
    ["that is the token itself", "base", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", account],
    ["of Solana on an EVM network", "base", solanaWallet, account],
    ["of an EVM network on Solana", "solana", evmWallet, account],
    ["of Solana that lacks its last two characters", "solana", solanaWallet.slice(0, -2), account],
    ["of Solana that is too large for 32 bytes", "solana", "z".repeat(44), account],
    ["of nobody on Solana", "solana", "1".repeat(32), account],
    ["that is the token itself on Solana", "solana", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", account],
    ["on a network we don't know", "tron", evmWallet, routing],
  ])("for a wallet %s", (_why, network, accountNumber, pointer) => {
    expect(outcomeOf(onNetwork(network, accountNumber))).toBe(`invalid_wallet_address ${pointer}`);
  });

  it("for a wallet without an address or a network, by these names", () => {
    expect(() => submit({ ...wallet, accountNumber: null })).toThrow("Send the wallet address.");
    expect(() => submit({ ...wallet, counterpartyRoutingNumber: null })).toThrow(
      "Send the network: ethereum, base, polygon or solana.",
    );
  });

  it.each<[Rail, Submitted]>([
    ["Ach", {}],
    ["SameDayAch", {}],
    ["Rtp", {}],
    ["Wire", {}],
    ["Usdc", wallet],
  ])("over %s in a Live book without adapters: nothing live is ever simulated", (rail, rest) => {
    expect(outcomeOf({ ...rest, rail, live: true })).toBe("rail_not_configured");
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
    expect(outcomeOf({ ...rest, rail, amountCents })).toBe("accepted");
    expect(outcomeOf({ ...rest, rail, amountCents: amountCents + 1 })).toBe(
      "amount_above_rail_limit /amountCents",
    );
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

describe("a magic account number", () => {
  it("is refused if its code can't happen on that rail and direction, naming those that can", () => {
    expect(outcomeOf({ accountNumber: "100001" })).toBe(
      "simulation_not_applicable /counterpartyAccountNumber",
    );
    expect(() => submit({ accountNumber: "100001" })).toThrow(/R01.*Credit over Ach.*R02/);
  });

  it("is accepted if its code can happen", () => {
    expect(outcomeOf({ accountNumber: "100002" })).toBe("accepted");
    expect(outcomeOf({ accountNumber: "100001", direction: "Debit" })).toBe("accepted");
    expect(outcomeOf({ rail: "Rtp", accountNumber: "300403" })).toBe("accepted");
    expect(outcomeOf({ rail: "Wire", accountNumber: "400000" })).toBe("accepted");
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
