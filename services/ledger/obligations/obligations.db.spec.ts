import { beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { Filer, line, payee } from "../../../test/ledger/obligations.ts";
import { lateReturned, settled } from "../../../test/ledger/order-commands.ts";
import { refused, codeOf } from "../../../test/ledger/requests.ts";
import { postingOf } from "../../../test/ledger/commands.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";

// An obligation, its accrual and its amendments, on a real Postgres. The test plays orders.
let filer: Awaited<ReturnType<typeof Filer.funded>>;

const { units } = await openLedgerOfFile();
beforeEach(async () => {
  filer = await Filer.funded(units);
});

describe("fixing", () => {
  it("accrues the amount against its expense, in a liability account of its own", async () => {
    const open = await filer.creates();
    expect(open).toMatchObject({
      status: "Open",
      fixedCents: 0,
      outstandingCents: 0,
      liabilityLedgerAccountId: null,
    });
    const fixed = await filer.fixes(open.id);
    expect(fixed).toMatchObject({
      status: "Fixed",
      fixedCents: 12_500,
      outstandingCents: 12_500,
      paymentOrderId: null,
    });
    expect(fixed.accruals).toMatchObject([{ amountCents: 12_500, actor: "maker", lines: open.lines }]);
    const liability = await filer.tenant.reading.get(
      { id: fixed.liabilityLedgerAccountId! },
      filer.contextOf(),
    );
    expect(liability).toMatchObject({
      name: `IFTA 2026-Q1 liability (${open.id})`,
      postedBalanceCents: 12_500,
    });
    expect(await filer.posted("FuelTaxExpense", "SettlementCash")).toEqual([12_500, 0]);
    const [entry] = (await filer.tenant.entriesOf(liability.id)).data;
    expect(entry).toMatchObject({
      kind: "Accrue",
      direction: "Credit",
      amountCents: 12_500,
      status: "Posted",
      transactionId: fixed.accruals[0]!.ledgerTransactionId,
    });
    expect(await filer.faults()).toEqual([]);
  });

  it.each([
    ["OperatorSettlement", "OperatorSettlementExpense"],
    ["Other", "ObligationExpense"],
  ] as const)("accrues %s against %s", async (type, expense) => {
    await filer.fixed({ type });
    expect(await filer.posted(expense, "FuelTaxExpense")).toEqual([12_500, 0]);
    expect(await filer.faults()).toEqual([]);
  });

  it.each([
    ["Demo", "basis_is_demo_data"],
    ["Missing", "basis_missing_input"],
  ])("refuses a %s line, names it, and writes nothing", async (kind, code) => {
    const lines = [line("Diesel, Oregon", 10_000), line("Diesel, Idaho", 400, kind)];
    const { id } = await filer.creates({ lines });
    await expect(filer.fixes(id)).rejects.toMatchObject({
      ...refused(code),
      message: expect.stringContaining("Diesel, Idaho"),
      context: { line: { index: 1, description: "Diesel, Idaho" } },
    });
    expect(await filer.reads(id)).toMatchObject({ status: "Open", accruals: [] });
    expect(await filer.posted("FuelTaxExpense")).toEqual([0]);
    await filer.edits(id, { lines: [line("Diesel, Idaho", 410)] });
    expect(await filer.fixes(id)).toMatchObject({ status: "Fixed", fixedCents: 410 });
  });

  it("happens once, also when ten callers send it at once", async () => {
    const { id } = await filer.creates();
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => filer.fixes(id)));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const reasons = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    expect(new Set(reasons.map(({ code }) => code))).toEqual(new Set(["invalid_state_transition"]));
    expect(await filer.posted("FuelTaxExpense")).toEqual([12_500]);
  });

  it("creates a liability account to which tenants can't post", async () => {
    const { liabilityLedgerAccountId } = await filer.fixed();
    const [outcome] = await filer.tenant.writes(
      postingOf([liabilityLedgerAccountId!, "Debit", 1], [filer.operating, "Credit", 1]),
    );
    expect(outcome).toMatchObject({ result: "Refused", code: "system_account_not_postable" });
  });
});

describe("editing", () => {
  it("changes anything while it is Open; later only its payee can be set", async () => {
    const { id } = await filer.creates({ payeeCounterpartyId: undefined });
    expect(await filer.edits(id, { period: null, reference: " IFTA  Q1 " })).toMatchObject({
      period: null,
      reference: "IFTA Q1",
      jurisdiction: "US-OR",
    });
    await filer.fixes(id);
    expect(await codeOf(filer.edits(id, { period: "2026-Q2" }))).toBe("invalid_state_transition");
    expect(await codeOf(filer.remits(id))).toBe("obligation_not_payable");
    expect(await filer.edits(id, { payeeCounterpartyId: payee })).toMatchObject({
      payeeCounterpartyId: payee,
    });
    expect(await filer.remits(id)).toMatchObject({ status: "Remitting" });
    expect(await codeOf(filer.edits(id, { payeeCounterpartyId: newId("cp") }))).toBe(
      "invalid_state_transition",
    );
  });
});

describe("an archived payee", () => {
  it("can't be named by a new obligation or by an edit: it could never be paid", async () => {
    const { id } = await filer.creates({ payeeCounterpartyId: undefined });
    filer.payeeArchivedAt = "2026-03-02T15:00:00.000Z";
    for (const refusing of [filer.creates(), filer.edits(id, { payeeCounterpartyId: payee })]) {
      await expect(refusing).rejects.toMatchObject({
        ...refused("counterparty_archived"),
        errors: [{ pointer: "/payeeCounterpartyId" }],
        context: { resourceId: payee },
      });
    }
    expect(await filer.edits(id, { period: "2026-Q3" })).toMatchObject({ payeeCounterpartyId: null });
  });
});

describe("a payee that is no counterparty of the book, such as another tenant's", () => {
  it("can't be named by a new obligation or by an edit", async () => {
    const { id } = await filer.creates({ payeeCounterpartyId: undefined });
    filer.payeeRefusal = notFound("counterparty");
    for (const refusing of [filer.creates(), filer.edits(id, { payeeCounterpartyId: payee })]) {
      await expect(refusing).rejects.toMatchObject({
        ...refused("not_found"),
        errors: [{ pointer: "/payeeCounterpartyId" }],
      });
    }
    expect(await filer.reads(id)).toMatchObject({ payeeCounterpartyId: null });
  });
});

describe("a payee that orders does not confirm", () => {
  it("is recorded if orders is unavailable, by a new obligation and by an edit: the remittance checks it", async () => {
    const { id } = await filer.creates({ payeeCounterpartyId: undefined });
    filer.payeeRefusal = new Refusal("service_unavailable", "Try again.");
    expect(await filer.creates()).toMatchObject({ payeeCounterpartyId: payee });
    expect(await filer.edits(id, { payeeCounterpartyId: payee })).toMatchObject({
      payeeCounterpartyId: payee,
    });
  });

  it.each(["upstream_timeout", "internal_error"] as const)(
    "is refused if orders answers with %s",
    async (code) => {
      const { id } = await filer.creates({ payeeCounterpartyId: undefined });
      filer.payeeRefusal = new Refusal(code, "Try again.");
      for (const refusing of [filer.creates(), filer.edits(id, { payeeCounterpartyId: payee })]) {
        await expect(refusing).rejects.toMatchObject(refused(code));
      }
      expect(await filer.reads(id)).toMatchObject({ payeeCounterpartyId: null });
    },
  );

  it("is not asked for when a request is repeated that was carried out", async () => {
    const [create, edit] = [filer.contextOf("create"), filer.contextOf("edit")];
    const made = await filer.creates({}, create);
    const edited = await filer.edits(made.id, { payeeCounterpartyId: payee }, edit);
    const asked = filer.payeeRequests;
    expect(asked).toBe(2);
    expect(await filer.creates({}, create)).toEqual(made);
    expect(await filer.edits(made.id, { payeeCounterpartyId: payee }, edit)).toEqual(edited);
    expect(filer.payeeRequests).toBe(asked);
  });
});

describe("an amended return", () => {
  it("books the difference, up and down, and a remittance pays the outstanding amount", async () => {
    const { id, liabilityLedgerAccountId: liability } = await filer.fixed();
    const up = await filer.amends(id, [line("Diesel, Oregon", 15_000)]);
    expect(up).toMatchObject({ status: "Fixed", fixedCents: 15_000, outstandingCents: 15_000 });
    const down = await filer.amends(id, [line("Diesel, Oregon", 9_000)]);
    expect(down).toMatchObject({ fixedCents: 9_000, outstandingCents: 9_000 });
    expect(down.accruals.map(({ amountCents }) => amountCents)).toEqual([12_500, 2_500, -6_000]);
    expect(await filer.posted(liability!, "FuelTaxExpense")).toEqual([9_000, 9_000]);
    await filer.remits(id);
    expect(filer.ordered[0]!.amountCents).toBe(9_000);
    await filer.receives(filer.holdOf(filer.ordered[0]!), settled(filer.ordered[0]!.orderId));
    expect(await filer.posted(liability!, "FuelTaxExpense", filer.operating)).toEqual([0, 0, 11_000]);
    expect(await filer.faults()).toEqual([]);
  });

  it("that was paid makes the difference payable, and never falls below the paid amount", async () => {
    const { id, orderId, liability } = await filer.remitting();
    await filer.receives(settled(orderId));
    expect(await codeOf(filer.amends(id, [line("Diesel, Oregon", 12_499)]))).toBe("amended_below_paid");
    expect(await filer.reads(id)).toMatchObject({ status: "Relieved", fixedCents: 12_500 });
    expect(await filer.amends(id, [line("Diesel, Oregon", 13_000)])).toMatchObject({
      status: "Fixed",
      fixedCents: 13_000,
      outstandingCents: 500,
      paymentOrderId: null,
    });
    await filer.remits(id);
    const second = filer.ordered[1]!;
    expect(second.amountCents).toBe(500);
    // The first payment is returned while the second is under way: the second continues, and the first amount is owed
    // again.
    await filer.receives(filer.holdOf(second), lateReturned(orderId));
    expect(await filer.reads(id)).toMatchObject({ status: "Remitting", outstandingCents: 13_000 });
    await filer.receives(settled(second.orderId));
    expect(await filer.reads(id)).toMatchObject({ status: "Fixed", outstandingCents: 12_500 });
    await filer.remits(id);
    await filer.receives(filer.holdOf(filer.ordered[2]!), settled(filer.ordered[2]!.orderId));
    expect(await filer.reads(id)).toMatchObject({ status: "Relieved" });
    expect(await filer.posted(liability, "FuelTaxExpense", filer.operating)).toEqual([0, 0, 7_000]);
    expect(await filer.faults()).toEqual([]);
  });

  it("is refused while an order pays it", async () => {
    const { id, orderId } = await filer.remitting();
    await expect(filer.amends(id, [line("Diesel", 20_000)])).rejects.toMatchObject({
      ...refused("invalid_state_transition"),
      context: { currentStatus: "Remitting", paymentOrderId: orderId },
    });
  });

  it("with a sum of zero relieves it without a payment", async () => {
    const { id, liabilityLedgerAccountId } = await filer.fixed();
    expect(await filer.amends(id, [])).toMatchObject({
      status: "Relieved",
      fixedCents: 0,
      paymentOrderId: null,
    });
    expect(await filer.posted(liabilityLedgerAccountId!, "FuelTaxExpense")).toEqual([0, 0]);
    expect(await filer.takePublished()).toEqual([]);
    expect(await filer.faults()).toEqual([]);
  });

  it("that moves amounts between its lines books nothing, and is stored", async () => {
    const { id } = await filer.fixed();
    const amended = await filer.amends(id, [line("Diesel, Idaho", 12_500)]);
    expect(amended).toMatchObject({ fixedCents: 12_500, lines: [{ description: "Diesel, Idaho" }] });
    expect(amended.accruals[1]).toMatchObject({ amountCents: 0, ledgerTransactionId: null });
    expect(await filer.faults()).toEqual([]);
  });

  it("is refused once its history is full, while it can still be read", async () => {
    const { id } = await filer.fixed();
    const text = "税".repeat(255);
    const lines = Array.from({ length: 100 }, () => ({
      ...line(text, 125),
      basis: { kind: "Actual", source: text },
    }));
    const codes: string[] = [];
    while (!codes.includes("invalid_state_transition") && codes.length < 9)
      codes.push(await codeOf(filer.amends(id, lines)));
    expect(codes.at(-1)).toBe("invalid_state_transition");
    const view = await filer.reads(id);
    expect(Buffer.byteLength(JSON.stringify(view))).toBeLessThan(1_048_576);
  });

  it("is refused with a Demo line, and before the obligation is fixed", async () => {
    const { id } = await filer.fixed();
    expect(await codeOf(filer.amends(id, [line("Diesel", 1, "Demo")]))).toBe("basis_is_demo_data");
    const { id: open } = await filer.creates();
    expect(await codeOf(filer.amends(open, [line("Diesel", 1)]))).toBe("invalid_state_transition");
  });
});

describe("another tenant's obligation", () => {
  it("is not found by any request", async () => {
    const { id } = await filer.fixed();
    const neighbour = new Filer(units);
    await neighbour.tenant.creates("Operating");
    for (const request of [
      () => neighbour.reads(id),
      () => neighbour.fixes(id),
      () => neighbour.edits(id, { period: null }),
      () => neighbour.amends(id, []),
      () => neighbour.remits(id),
      () => neighbour.reads(newId("po")),
    ]) {
      expect(await codeOf(request())).toBe("not_found");
    }
    expect((await neighbour.lists()).data).toEqual([]);
  });
});
