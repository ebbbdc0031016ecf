/** Orders per second and CPU an order with few and with many orders in the tables. */
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { uuidOf } from "../../contracts/ids/ids.ts";
import { sumOf, withoutLoad } from "../measures/cpu.ts";
import { measureFlow } from "../measures/flow.ts";
import { countOrders, growOrders } from "../grow-orders.ts";
import { type Contender, type Figure, interleave } from "../measures/measure.ts";
import type { Options } from "../options.ts";
import { bounded, type Row } from "../report.ts";
import type { Stage } from "../stage.ts";
import { openOrderFlow } from "./orders.ts";

const few = 10_000;
const many = 3_000_000;

/** The services are warm before the first measurement: they have completed `few` orders by then. */
export async function measureOrdersGrowth(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  const orders = (count: number): Contender => ({
    name: `orders with ${count.toLocaleString("en")} in the tables`,
    run: (seconds) => measureFlow(openOrderFlow(stage, options.inFlight), stage.meter, seconds),
  });
  log(`warming up until there are ${String(few)} orders`);
  while ((await countOrders(stage.admin)) < few) await orders(few).run(2);
  const before = await measure(orders(few));
  const startedAt = performance.now();
  const book = uuidOf(stage.tenant.tenant.testBook as `book_${string}`);
  await growOrders(stage.admin, { book, phases: ["Completed"], size: many }, log);
  await stage.admin.query("vacuum analyze");
  await stage.admin.query("checkpoint");
  await delay(1_000);
  log(`${String(many)} orders after ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  await orders(many).run(Math.max(1, options.warmUpSeconds));
  const vacuumedBefore = await countVacuums(stage.admin);
  const after = await measure(orders(many));
  const vacuumed = vacuumsSince(vacuumedBefore, await countVacuums(stage.admin));
  return rowsOf(before, after, `vacuumed by autovacuum while measured: ${vacuumed}`);

  async function measure(contender: Contender): Promise<Figure> {
    const [figure] = await interleave([contender], options, log);
    if (figure === undefined) throw new Error(`${contender.name} was not measured`);
    return figure;
  }
}

const bounds = { floor: 1.3, goal: 1.1, unit: "×" };

/** How often autovacuum has finished each table. */
async function countVacuums(admin: pg.Client): Promise<ReadonlyMap<string, number>> {
  const { rows } = await admin.query<{ table: string; count: number }>(
    `select schemaname || '.' || relname as table, autovacuum_count::int as count
     from pg_stat_user_tables
     where autovacuum_count > 0`,
  );
  return new Map(rows.map(({ table, count }) => [table, count]));
}

function vacuumsSince(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string {
  const counted = [...after].map(([table, count]) => [table, count - (before.get(table) ?? 0)] as const);
  const texts = counted.filter(([, count]) => count > 0).map(([table, count]) => `${table} ${String(count)}`);
  return texts.length === 0 ? "no table" : texts.join(", ");
}

function rowsOf(before: Figure, after: Figure, vacuumed: string): Row[] {
  const costOf = ({ cpuPerOperation }: Figure) => sumOf(withoutLoad(cpuPerOperation));
  const notes = [before, after].map(
    (figure) =>
      `${figure.name}: ${figure.medianRate.toFixed(0)}/s, ${costOf(figure).toFixed(0)} µs each (${partsOf(figure)}); others took ${figure.othersPercent.toFixed(0)} % of a core`,
  );
  notes.push(vacuumed);
  const what = "10,000 → 3,000,000 orders";
  return [
    bounded(`${what}: CPU an order`, costOf(after) / costOf(before), bounds, notes),
    bounded(`${what}: time an order`, before.medianRate / after.medianRate, bounds, notes),
  ].map((row) => ({ ...row, figures: [before, after] }));
}

function partsOf({ cpuPerOperation }: Figure): string {
  return Object.entries(withoutLoad(cpuPerOperation))
    .slice(0, 12)
    .map(([part, us]) => `${part} ${us.toFixed(0)}`)
    .join(", ");
}
