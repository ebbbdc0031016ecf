import { describe, expect, it } from "vitest";
import { OrderOnTest, aBookContext, anOrderIn, noon } from "../../../test/stack/orders/payment-order.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { createLogger } from "../../platform/observability/logger.ts";
import type { OrdersConfig } from "../config.ts";
import { cancelOrDeny, type Transition, transition, unchanged } from "../order/transition.ts";
import { EndedOrders } from "./ended-orders.ts";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const cause = { correlationid: "req_1", traceparent: `00-${trace}-00f067aa0ba902b7-01` };
const second = new Date(noon.getTime() + 1_500);

/** The lines about transitions, once they are committed. */
function linesAfter(
  transitions: readonly Transition[],
  share = 1,
  commits = true,
): Record<string, unknown>[] {
  let text = "";
  const log = createLogger("orders", "info", { write: (line: string) => void (text += line) });
  const acts: (() => void)[] = [];
  const unit = { afterCommit: (act: () => void) => acts.push(act) } as unknown as UnitOfWork;
  new EndedOrders(log, { COMPLETED_ORDERS_LOGGED: share } as OrdersConfig).logAfterCommit(unit, transitions);
  if (commits) for (const act of acts) act();
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function completed(): Transition {
  const settling = anOrderIn("Settling", {
    sequence: 3,
    progress: { cause, timers: { pendingSince: new Date(noon.getTime() + 200).toISOString() } },
  });
  return transition(settling, "HoldSettled", aBookContext({ now: second }), { actor: "ledger" });
}
const cancelled = () =>
  cancelOrDeny(anOrderIn("Draft", { progress: { cause } }), "Cancel", aBookContext({ now: second }), {
    actor: "maker",
    reason: "sent by Ada by mistake",
  });

describe("the line of an order", () => {
  it("is written at its end, with its request, its trace and its times", () => {
    const { order } = completed();
    expect(linesAfter([completed()])).toMatchObject([
      {
        msg: "order ended",
        orderId: order.id,
        book: order.book,
        requestId: "req_1",
        traceId: trace,
        rail: "Ach",
        status: "Completed",
        statusChanges: 4,
        heldAfterMs: 200,
        settledAfterMs: null,
        endedAfterMs: 1_500,
      },
    ]);
  });

  it("is not written before its end, and not if the commit fails", () => {
    const processing = transition(anOrderIn("HandingOff"), "InstructionAccepted", aBookContext(), {
      actor: "rail",
    });
    expect(linesAfter([processing, unchanged(anOrderIn("Completed"))])).toEqual([]);
    expect(linesAfter([completed()], 1, false)).toEqual([]);
  });

  it("shows no text of a tenant", () => {
    const [line] = linesAfter([cancelled()]);
    expect(line).toMatchObject({ status: "Cancelled", requestId: "req_1" });
    expect(JSON.stringify(line)).not.toMatch(/Ada|Blue Freight|Operating|6789|maker/);
  });

  it("is written for a share of the completed orders, and for all that end otherwise", () => {
    const many = Array.from({ length: 400 }, completed);
    expect(linesAfter(many, 0)).toEqual([]);
    expect(linesAfter(many, 0.5).length).toBeGreaterThan(100);
    expect(linesAfter(many, 0.5).length).toBeLessThan(300);
    expect(linesAfter([cancelled()], 0)).toHaveLength(1);
  });

  it("is written again at a late return, with its code", () => {
    const order = new OrderOnTest(anOrderIn("Completed", { sequence: 4 }));
    const detail = {
      return: {
        id: "ret_01h455vb4pex5vsknk084sn02q" as const,
        code: "R01",
        reason: "InsufficientFunds",
        traceNumber: "7",
        receivedAt: noon.toISOString(),
      },
    };
    order.receive("InstructionReturned", detail);
    order.receive("LateReturnPosted");
    const transitions = [{ ...unchanged(order.order), events: order.events }];
    expect(linesAfter(transitions, 0)).toMatchObject([{ status: "Completed", returnCode: "R01" }]);
  });
});
