import { expect, it } from "vitest";
import { latencyRows, type Pace, pacesOf } from "./latency.ts";

const samples = { post: [10, 20], completed: [100, 150], webhook: [30, 260] };
/** Microseconds of two orders. */
const cpu = {
  orders: 2_000,
  "postgres ended": 3_000,
  "postgres orders": -1_000,
  nats: 1_000,
  "load: payer": 800,
  "load: receiver": 200,
  "bench itself": 100,
};
const rowsAt = (pace: Pace) => latencyRows(pace, samples, { cpu, operations: 2, othersPercent: 1 }, 4);
const cells = (pace: Pace) =>
  rowsAt(pace).map(({ what, measured, floor, goal, met }) => [what, measured, floor, goal, met]);

it("the paces are the fixed one and half of the capacity, or the one of --pace", () => {
  expect(pacesOf(undefined, 363)).toEqual([
    { perSecond: 200, bounds: "fixed" },
    { perSecond: 182, bounds: "half" },
  ]);
  expect(pacesOf(undefined, undefined)).toEqual([{ perSecond: 200, bounds: "fixed" }]);
  expect(pacesOf(100, 363)).toEqual([{ perSecond: 100, bounds: "none" }]);
  expect(pacesOf(200, 363)).toEqual([{ perSecond: 200, bounds: "fixed" }]);
});

it("rows of another pace than the fixed one are named by it and have no bounds", () => {
  expect(cells({ perSecond: 100, bounds: "none" })).toEqual([
    ["CPU of services, Postgres and NATS an order at 100 orders/s", "2500 µs", "", "", ""],
    ["POST /v1/payment-orders p99 at 100 orders/s", "20.0 ms", "", "", ""],
    ["Accepted → Completed p99, instant rail, at 100 orders/s", "150.0 ms", "", "", ""],
    ["First webhook attempt p99 after commit at 100 orders/s", "260.0 ms", "", "", ""],
  ]);
});

it("rows of the fixed pace have its bounds", () => {
  expect(cells({ perSecond: 200, bounds: "fixed" })).toEqual([
    ["CPU of services, Postgres and NATS an order at 200 orders/s", "2500 µs", "10000 µs", "3500 µs", "Goal"],
    ["POST /v1/payment-orders p99 at 200 orders/s", "20.0 ms", "140 ms", "25 ms", "Goal"],
    ["Accepted → Completed p99, instant rail, at 200 orders/s", "150.0 ms", "600 ms", "150 ms", "Goal"],
    ["First webhook attempt p99 after commit at 200 orders/s", "260.0 ms", "250 ms", "100 ms", "no"],
  ]);
});

it("rows at half of the capacity are named so, whatever that is, and have bounds of their own", () => {
  expect(cells({ perSecond: 182, bounds: "half" })).toEqual([
    ["POST /v1/payment-orders p99 at half of capacity", "20.0 ms", "140 ms", "50 ms", "Goal"],
    ["Accepted → Completed p99, instant rail, at half of capacity", "150.0 ms", "600 ms", "200 ms", "Goal"],
    ["First webhook attempt p99 after commit at half of capacity", "260.0 ms", "250 ms", "100 ms", "no"],
  ]);
});

it("the load generators are listed beside the CPU of an order, not in it", () => {
  expect(rowsAt({ perSecond: 200, bounds: "fixed" })[0]?.notes).toEqual([
    "200 orders/s for 4 s, open loop; others took 1 % of a core",
    "postgres ended 1500, orders 1000, nats 500, postgres orders -500; besides, load: payer 400, load: receiver 100, bench itself 50",
  ]);
});
