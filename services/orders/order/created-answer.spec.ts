import { describe, expect, it } from "vitest";
import type { PaymentOrder as PaymentOrderView } from "../../../contracts/http/payments/payment-orders.ts";
import { idOf } from "../../../contracts/ids/ids.ts";
import { anOrderIn } from "../../../test/stack/orders/payment-order.ts";
import { firstAnswer, isPartial, type PartialAnswer, storedAnswerOf } from "./created-answer.ts";
import { viewOf } from "./order-view.ts";
import type { PaymentOrder, StatusChange } from "./payment-order.ts";

const row = (position: number, to: StatusChange["to"], at: string, actor: string): StatusChange => ({
  position,
  from: position === 0 ? null : "Draft",
  to,
  at: new Date(at),
  actor,
  reason: null,
});
const history = [
  row(0, "Draft", "2026-03-04T17:00:00.000Z", "maker"),
  row(1, "Submitted", "2026-03-04T17:00:00.020Z", "maker"),
];
const whole = [
  ...history,
  row(2, "Pending", "2026-03-04T17:00:01.000Z", "ledger"),
  row(3, "Processing", "2026-03-04T17:00:02.000Z", "system"),
  row(4, "Completed", "2026-03-04T17:00:03.000Z", "ledger"),
];

const terms = { description: "July", metadata: { cost: "fuel", team: "ops" }, effectiveDate: "2026-03-05" };
const cutoff = {
  missed: false,
  cutoffAt: "2026-03-04T21:45:00.000Z",
  nextWindowOpensAt: null,
  reason: null,
};

type Progress = NonNullable<Parameters<typeof anOrderIn>[1]>["progress"];
/** An order in the moment of its submission. */
const submitted = (progress: Progress = {}): PaymentOrder => ({
  ...anOrderIn("ReservingFunds", { terms, sequence: 1, progress }),
  updatedAt: new Date("2026-03-04T17:00:00.020Z"),
});
/** The same order at its end: all that can change has changed. */
const completed = (progress: Progress = {}): PaymentOrder => ({
  ...anOrderIn("Completed", {
    terms,
    sequence: 4,
    progress: {
      ...progress,
      approvals: {
        required: 2,
        raisedAt: "2026-03-04T17:00:01.000Z",
        given: [{ principal: "ada", at: "2026-03-04T17:00:02.000Z", orderHash: null }],
        makers: ["maker", "editor"],
        decision: { outcome: "Approved", decidedBy: "ada", decidedAt: "2026-03-04T17:00:02.000Z" },
      },
      estimate: { cutoff: null, expectedSettlementDate: "2026-03-09" },
      ledger: { transactionId: idOf("lt", "019c0000-0000-7000-8000-0000000000f1") },
      rail: { reference: { traceNumber: "7" }, settledAt: "2026-03-04T17:00:03.000Z" },
    },
  }),
  annotations: { description: "August", metadata: { cost: "toll" } },
  updatedAt: new Date("2026-03-04T17:00:09.000Z"),
});

/** What the key of this create stores, as Postgres gives it back. */
function stored(order: PaymentOrder): PaymentOrderView | PartialAnswer {
  const answer = storedAnswerOf(order, history, viewOf(order, history));
  return JSON.parse(JSON.stringify(answer)) as typeof answer;
}
function storedPart(order: PaymentOrder): PartialAnswer {
  const answer = stored(order);
  if (!isPartial(answer)) throw new Error("the whole answer was stored");
  return answer;
}

describe("the stored answer to a create", () => {
  it("has nothing that the order's terms and first history rows tell", () => {
    expect(stored(submitted())).toEqual({ answerForm: 4, members: {} });
  });

  it("has what may change without a row of it: the estimate, and the approvals", () => {
    const estimate = { cutoff, expectedSettlementDate: "2026-03-05" };
    expect(stored(submitted({ estimate, approvals: { required: 1 } }))).toEqual({
      answerForm: 4,
      members: {
        approval: {
          required: 1,
          received: 0,
          approvals: [],
          orderHash: expect.any(String),
          makers: ["maker"],
          reasons: [],
          expiresAt: null,
          mine: null,
          decision: null,
        },
        cutoff,
        expectedSettlementDate: "2026-03-05",
      },
    });
  });

  it("is whole for a Draft, whose terms can still change", () => {
    const draft = anOrderIn("Draft", { terms });
    expect(stored(draft)).toEqual(viewOf(draft, history));
  });
});

/** The answer of form 1. */
const golden = [
  '{"id":"po_01kg000000e00800000000007g","status":"Submitted","mode":"Test","direction":"Credit",',
  '"rail":"Ach","amountCents":1250,"currency":"USD","ledgerAccountId":"la_01kg000000e008000000000001",',
  '"ledgerAccountName":"Operating","counterpartyId":null,"counterpartyName":"Blue Freight",',
  '"counterpartyAccountNumber":"****6789","counterpartyRoutingNumber":"021000021","externalId":null,',
  '"description":"July","statementDescriptor":null,"effectiveDate":"2026-03-05","purpose":null,',
  '"basis":"Actual","metadata":{"cost":"fuel","team":"ops"},"approval":{"required":0,"received":0,',
  '"approvals":[],"orderHash":"97115cd2868e9f8ffacaf2991f3e8e0b4e6933b48b6192f5ffe4a9d50b7333b6"},',
  '"awaiting":null,"cancellable":true,"cutoff":{"missed":false,"cutoffAt":"2026-03-04T21:45:00.000Z",',
  '"nextWindowOpensAt":null,"reason":null},"expectedSettlementDate":"2026-03-05","ledgerTransactionId":null,',
  '"obligationId":null,"railReference":null,"failure":null,"cancelReason":null,"return":null,',
  '"strayMovements":[],"statusHistory":[{"from":null,"to":"Draft","at":"2026-03-04T17:00:00.000Z",',
  '"actor":"maker","reason":null},{"from":"Draft","to":"Submitted","at":"2026-03-04T17:00:00.020Z",',
  '"actor":"maker","reason":null}],"createdBy":"maker","createdAt":"2026-03-04T17:00:00.000Z",',
  '"submittedAt":"2026-03-04T17:00:00.020Z","completedAt":null,"returnedAt":null,',
  '"updatedAt":"2026-03-04T17:00:00.020Z"}',
].join("");

describe("the first answer", () => {
  it("is given again byte for byte at the order's end", () => {
    const estimate = { cutoff, expectedSettlementDate: "2026-03-05" };
    const answer = { ...storedPart(submitted({ estimate })), answerForm: 1 };
    expect(JSON.stringify(firstAnswer(answer, completed(), whole))).toBe(golden);
  });

  it("is the same whatever else was stored of it", () => {
    for (const progress of [{}, { approvals: { required: 2 } }, { estimate: { cutoff } }]) {
      const first = viewOf(submitted(progress), history);
      const again = firstAnswer(storedPart(submitted(progress)), completed(), whole);
      expect(JSON.stringify(again)).toBe(JSON.stringify(first));
    }
  });

  it("has no member that was added to orders after it was given", () => {
    const answer = storedPart(submitted());
    const { purpose: _added, ...before } = viewOf(submitted(), history);
    const since = { purpose: 5 };
    expect(JSON.stringify(firstAnswer(answer, completed(), whole, since))).toBe(JSON.stringify(before));
    const later = { ...answer, answerForm: 5 };
    expect(firstAnswer(later, completed(), whole, since)).toHaveProperty("purpose", null);
  });
});

// A member that is added to an order gets the next version in `memberSince`, and no line here.
it("knows the members of the answers of version 1", () => {
  expect(Object.keys(firstAnswer({ answerForm: 1, members: {} }, completed(), whole))).toEqual(
    [
      "id status mode direction rail amountCents currency ledgerAccountId ledgerAccountName counterpartyId",
      "counterpartyName counterpartyAccountNumber counterpartyRoutingNumber externalId description",
      "statementDescriptor effectiveDate purpose basis metadata approval awaiting cancellable cutoff",
      "expectedSettlementDate ledgerTransactionId obligationId railReference failure cancelReason return",
      "strayMovements statusHistory createdBy createdAt submittedAt completedAt returnedAt updatedAt",
    ].flatMap((line) => line.split(" ")),
  );
});
