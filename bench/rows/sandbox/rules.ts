/** What many rules for simulated rails cost an order on which none of them acts. */
import { seedTenant } from "../../../scripts/local/demo/seed.ts";
import { sumOf, withoutLoad } from "../../measures/cpu.ts";
import { measureFlow } from "../../measures/flow.ts";
import { type Contender, type Figure, interleave } from "../../measures/measure.ts";
import type { Options } from "../../options.ts";
import { bounded, type Row } from "../../report.ts";
import { type Payments, preparePayments, type Stage } from "../../stage.ts";
import { openOrderFlow } from "../orders.ts";
import { addRule } from "./sandbox-book.ts";

const rules = 1_000;
const what = `CPU an order in a book with ${String(rules)} rules, against a book with none`;

/** `own` are the payments of the stage's tenant, which has no rule. The payer sends them again afterwards. */
export async function measureRules(
  stage: Stage,
  options: Options,
  own: Payments,
  log: (line: string) => void,
): Promise<Row[]> {
  const tenant = await seedTenant(stage.databaseUrlOf("gateway"), "Rules");
  const withRules = await preparePayments(stage, tenant, options.eventTypes);
  for (let number = 1; number <= rules; number += 1) {
    await addRule(withRules.baseUrl, withRules.key, ruleOf(number));
  }
  const contender = (name: string, payments: Payments): Contender => ({
    name,
    run: (seconds) => {
      stage.payer.send({ kind: "connect", ...payments });
      return measureFlow(openOrderFlow(stage, options.inFlight), stage.meter, seconds);
    },
  });
  const contenders = [contender("orders without rules", own), contender("orders with rules", withRules)];
  try {
    for (const one of contenders) await one.run(Math.max(1, options.warmUpSeconds));
    const [without, beside] = await interleave(contenders, options, log);
    if (without === undefined || beside === undefined) throw new Error("a contender is missing");
    return [rowOf(without, beside)];
  } finally {
    stage.payer.send({ kind: "connect", ...own });
  }
}

/** A third of the rules each match an order, an account and a share of a rail that the payer does not use. */
function ruleOf(number: number): object {
  const fault = { fault: "Reject" };
  switch (number % 3) {
    case 0:
      return { match: { externalId: `nobody's ${String(number)}` }, ...fault };
    case 1:
      return { match: { accountNumber: String(900_000_000 + number) }, ...fault };
    default:
      return { match: { rail: "Wire" }, ...fault, share: 0.01 };
  }
}

function rowOf(without: Figure, beside: Figure): Row {
  const costOf = ({ cpuPerOperation }: Figure) => sumOf(withoutLoad(cpuPerOperation));
  const partOf = ({ cpuPerOperation }: Figure) =>
    ["rails", "postgres rails"]
      .map((part) => `${part} ${(cpuPerOperation[part] ?? 0).toFixed(0)}`)
      .join(", ");
  const notes = [without, beside].map(
    (figure) =>
      `${figure.name}: ${figure.medianRate.toFixed(0)}/s, ${costOf(figure).toFixed(0)} µs each (${partOf(figure)}); others took ${figure.othersPercent.toFixed(0)} % of a core`,
  );
  const ratio = costOf(beside) / costOf(without);
  return {
    ...bounded(what, ratio, { floor: 1.05, goal: 1.05, unit: "×" }, notes),
    figures: [without, beside],
  };
}
