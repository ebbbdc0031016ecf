import { expect, it } from "vitest";
import { compared } from "./report.ts";

it("the CPU below the table is the sum without the load generators, which are listed after it", () => {
  const figure = {
    name: "orders",
    rates: [190, 210],
    medianRate: 200,
    cpuPerOperation: {
      gateway: 300,
      "postgres ledger": 100,
      "postgres ended": 40,
      nats: 50,
      "load: payer": 900,
      "bench itself": 70,
    },
    othersPercent: 2,
  };
  const { notes } = compared(figure, figure, { what: "Orders/s", floor: 1, goal: 2 });
  expect(notes[0]).toBe(
    "orders: 490 µs of CPU each = postgres 140 (ledger 100, ended 40) + gateway 300 + nats 50; besides, load: payer 900, bench itself 70; rounds 190 210; others took 2 % of a core",
  );
});
