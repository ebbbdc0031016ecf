import { beforeEach, describe, expect, it } from "vitest";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { Filer, line, payee } from "../../../test/ledger/obligations.ts";
import { lateReturned, paymentReturned, released, settled } from "../../../test/ledger/order-commands.ts";
import { refused, codeOf } from "../../../test/ledger/requests.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";

// The payment of an obligation, from the order that the ledger chose until nothing is outstanding, and back. The test
// plays orders, on a real Postgres.
let filer: Awaited<ReturnType<typeof Filer.funded>>;

const { units } = await openLedgerOfFile();
beforeEach(async () => {
  filer = await Filer.funded(units);
});

describe("remitting", () => {
  it("commits to one order before orders gets the request, and requests exactly that order", async () => {
    const { id } = await filer.fixed();
    const answer = await filer.remits(id);
    expect(answer).toMatchObject({ status: "Remitting", outstandingCents: 12_500 });
    expect(filer.ordered).toEqual([
      {
        orderId: answer.paymentOrderId,
        obligationId: id,
        reference: "IFTA 2026-Q1",
        rail: "Ach",
        amountCents: 12_500,
        ledgerAccountId: filer.operating,
        ledgerAccountName: "Operating",
        counterpartyId: payee,
        makers: ["maker"],
      },
    ]);
  });

  it("names everybody who wrote, edited, fixed or amended the obligation", async () => {
    const as = (principal: string) => {
      const context = filer.contextOf();
      return { ...context, caller: { ...context.caller, principal } };
    };
    const { id } = await filer.creates({}, as("writer"));
    await filer.edits(id, { payeeCounterpartyId: payee }, as("editor"));
    await filer.fixes(id, as("fixer"));
    await filer.amends(id, [line("Diesel, Oregon", 10_000)], as("amender"));
    await filer.amends(id, [line("Diesel, all", 10_000)], as("mover"));
    await filer.remits(id, {}, as("remitter"));
    expect(filer.ordered[0]?.makers?.toSorted()).toEqual(["amender", "editor", "fixer", "mover", "writer"]);
  });

  it("holds four lines, then posts them; after the settlement nothing is outstanding", async () => {
    const { id, orderId, liability } = await filer.remitting();
    expect(await filer.balanceOf(liability)).toEqual({ posted: 12_500, pending: 12_500 });
    expect(await filer.balanceOf(filer.operating)).toEqual({ posted: 20_000, pending: 12_500 });
    await filer.receives(settled(orderId));
    expect(await filer.posted(liability, "FuelTaxExpense", filer.operating, "SettlementCash")).toEqual([
      0, 0, 7_500, -12_500,
    ]);
    expect(await filer.reads(id)).toMatchObject({
      status: "Relieved",
      fixedCents: 12_500,
      outstandingCents: 0,
      paymentOrderId: orderId,
      remittances: [
        { paymentOrderId: orderId, amountCents: 12_500, event: "Held", reason: null },
        { paymentOrderId: orderId, amountCents: 12_500, event: "Cleared", reason: null },
      ],
    });
    expect(await filer.takePublished()).toMatchObject([
      {
        type: "ledger.remittance-cleared.v1",
        subject: id,
        data: {
          obligationId: id,
          reference: "IFTA 2026-Q1",
          jurisdiction: "US-OR",
          period: "2026-Q1",
          amountCents: 12_500,
          paymentOrderId: orderId,
        },
      },
    ]);
    expect(await codeOf(filer.remits(id))).toBe("obligation_not_payable");
    expect(await filer.faults()).toEqual([]);
  });

  it("pays out of the wallet on Usdc", async () => {
    const { id } = await filer.fixed();
    await filer.remits(id, { rail: "Usdc" });
    const order = filer.ordered.at(-1)!;
    await filer.receives(filer.holdOf(order), settled(order.orderId));
    expect(await filer.posted("StablecoinWallet", "SettlementCash", "FuelTaxExpense")).toEqual([
      -12_500, 0, 0,
    ]);
  });

  it("accepts one of ten callers, and names that order to the others", async () => {
    const { id } = await filer.fixed();
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => filer.remits(id)));
    const won = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    expect(won).toHaveLength(1);
    expect(filer.ordered.map(({ orderId }) => orderId)).toEqual([won[0]!.paymentOrderId]);
    const lost = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    for (const reason of lost) {
      expect(reason).toMatchObject({
        ...refused("obligation_not_payable"),
        context: { currentStatus: "Remitting", paymentOrderId: won[0]!.paymentOrderId },
      });
    }
  });

  it.each([
    ["is Open", async () => (await filer.creates()).id],
    ["names no payee", async () => (await filer.fixed({ payeeCounterpartyId: undefined })).id],
  ])("is refused if it %s", async (_which, given) => {
    expect(await codeOf(filer.remits(await given()))).toBe("obligation_not_payable");
    expect(filer.ordered).toEqual([]);
  });

  it.each([
    ["nobody's", { fundingLedgerAccountName: "Nobody's" }, "ledger_account_not_found"],
    [
      "another thing's id",
      { fundingLedgerAccountName: undefined, fundingLedgerAccountId: newId("cp") },
      "ledger_account_not_found",
    ],
    ["the service's own", { fundingLedgerAccountName: "Settlement cash" }, "system_account_not_postable"],
  ])("is refused with %s account as funding", async (_whose, funding, code) => {
    const { id } = await filer.fixed();
    expect(await codeOf(filer.remits(id, funding))).toBe(code);
    expect(await filer.reads(id)).toMatchObject({ status: "Fixed" });
  });

  it("is refused with a closed account as funding", async () => {
    const old = await filer.tenant.creates("Old");
    await units.database.sql("select close_account($1, $2)", [uuidOf(filer.book), uuidOf(old.id)]);
    const { id } = await filer.fixed();
    const remit = filer.remits(id, { fundingLedgerAccountName: "Old" });
    expect(await codeOf(remit)).toBe("ledger_account_closed");
    expect(await filer.reads(id)).toMatchObject({ status: "Fixed" });
  });
});

describe("a payment that ends otherwise", () => {
  it.each(["Failed", "Cancelled", "Returned"] as const)(
    "makes it payable again when it is %s",
    async (cause) => {
      const { id, orderId, liability } = await filer.remitting();
      await filer.receives(released(orderId, cause));
      expect(await filer.balanceOf(liability)).toEqual({ posted: 12_500, pending: 0 });
      expect(await filer.balanceOf(filer.operating)).toEqual({ posted: 20_000, pending: 0 });
      const reason = cause === "Returned" ? "R02" : null;
      expect(await filer.reads(id)).toMatchObject({
        status: "Fixed",
        outstandingCents: 12_500,
        paymentOrderId: null,
        remittances: [{ event: "Held" }, { event: cause, reason }],
      });
      expect(
        (await filer.takePublished()).map(({ type, data }) => [type, (data as { return?: object }).return]),
      ).toEqual(cause === "Returned" ? [["ledger.remittance-returned.v1", paymentReturned(orderId)]] : []);
      // Then it is paid by another order.
      await filer.remits(id);
      const second = filer.ordered[1]!;
      await filer.receives(filer.holdOf(second), settled(second.orderId));
      expect(await filer.reads(id)).toMatchObject({ status: "Relieved", paymentOrderId: second.orderId });
      expect(await filer.posted(liability, "FuelTaxExpense", filer.operating)).toEqual([0, 0, 7_500]);
      expect(await filer.faults()).toEqual([]);
    },
  );

  it("is reversed in all four lines by a late return, and the obligation is published as owed again", async () => {
    const { id, orderId, liability } = await filer.remitting();
    await filer.receives(settled(orderId));
    await units.takeMessages();
    await filer.receives(lateReturned(orderId));
    expect(await filer.posted(liability, "FuelTaxExpense", filer.operating, "SettlementCash")).toEqual([
      12_500, 12_500, 20_000, 0,
    ]);
    expect(await filer.reads(id)).toMatchObject({
      status: "Fixed",
      outstandingCents: 12_500,
      paymentOrderId: null,
    });
    expect(await filer.takePublished()).toMatchObject([
      {
        type: "ledger.remittance-returned.v1",
        data: { paymentOrderId: orderId, amountCents: 12_500, return: { code: "R02", late: true } },
      },
    ]);
    await filer.remits(id);
    await filer.receives(filer.holdOf(filer.ordered[1]!), settled(filer.ordered[1]!.orderId));
    expect(await filer.posted(liability, "FuelTaxExpense", filer.operating)).toEqual([0, 0, 7_500]);
    expect(await filer.faults()).toEqual([]);
  });

  it("is published only for fuel tax returns", async () => {
    const { orderId } = await filer.remitting({ type: "OperatorSettlement" });
    await filer.receives(settled(orderId), lateReturned(orderId));
    expect(await filer.takePublished()).toEqual([]);
    expect(await filer.faults()).toEqual([]);
  });

  it("changes nothing when its event is delivered twice", async () => {
    const { id, orderId } = await filer.remitting();
    await filer.receives(settled(orderId), settled(orderId));
    await filer.receives(settled(orderId));
    expect((await filer.reads(id)).remittances).toHaveLength(2);
    expect(await filer.takePublished()).toHaveLength(1);
  });
});
