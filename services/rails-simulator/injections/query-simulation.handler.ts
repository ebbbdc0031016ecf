import { Controller } from "@nestjs/common";
import type { z } from "zod";
import type { SimulatedOrder, SimulatedRails } from "../../../contracts/http/sandbox/simulated-rails.ts";
import type { SimulationLogEntry } from "../../../contracts/http/sandbox/simulation-log.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import {
  GetSimulatedOrder,
  GetSimulatedRails,
  ListSimulationLog,
} from "../../../contracts/messages/injections.ts";
import { isId } from "../../../contracts/ids/ids.ts";
import { GetOrder } from "../../../contracts/messages/orders.ts";
import { ListRailEvents } from "../../../contracts/messages/rails.ts";
import { newYorkDate, windowAt } from "../../../contracts/rails/banking-calendar.ts";
import { externalRail } from "../../../contracts/rails/rails.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { aboveAllUuids, pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { requireTestBook } from "../instructions/require-test-book.ts";
import { readSimulatedBooks } from "../rules/store/simulated-books.ts";
import type { ScheduledStep } from "../instructions/domain/schedule.ts";
import { readSteps } from "../instructions/store/steps.ts";
import { everyKind } from "../rules/domain/fault-needs.ts";
import { listLogEntries } from "../simulation-log/store/simulation-log.ts";
import {
  type ActiveRuleView,
  readActiveRuleViews,
  readRailLoads,
  readSimulatedOrder,
} from "./store/simulated-state.ts";

const maxShownRules = 100;
type SimulatedRail = SimulatedRails["data"][number];

/** Shows testers what the simulator did, does and will do, and everybody what their order's rail reported. */
@Controller()
export class QuerySimulation {
  readonly #rpc: RpcClient;
  readonly #database: Database;

  constructor(rpc: RpcClient, database: Database) {
    this.#rpc = rpc;
    this.#database = database;
  }

  /** Refusals: `simulation_requires_test_key`; `not_found` for an order of another book. */
  @HandlesRequest(GetSimulatedOrder)
  async order({ id }: { id: string }, context: RequestContext): Promise<SimulatedOrder> {
    requireTestBook(context);
    const { caller, traceparent, deadline } = context;
    const { value: order } = await this.#rpc.request(GetOrder, { caller, traceparent, deadline }, { id });
    const { sql } = this.#database;
    const [known, stepsByOrder] = await Promise.all([
      readSimulatedOrder(sql, caller.book, order.id),
      readSteps(sql, [order.id]),
    ]);
    return { ...known, steps: (stepsByOrder.get(order.id) ?? []).map(viewOfStep) };
  }

  /** What its rail has reported, without what it will report. Nothing of an order of another book. */
  @HandlesRequest(ListRailEvents)
  async events(
    { orderId }: z.output<typeof ListRailEvents.data>,
    { caller }: RequestContext,
  ): Promise<z.input<typeof ListRailEvents.reply>> {
    const { sql } = this.#database;
    if (!isId("po", orderId)) return { submittedAt: null, events: [] };
    const { handedOffAt } = await readSimulatedOrder(sql, caller.book, orderId);
    if (handedOffAt === null) return { submittedAt: null, events: [] };
    const steps = (await readSteps(sql, [orderId])).get(orderId) ?? [];
    return {
      submittedAt: handedOffAt,
      events: steps.map(viewOfStep).flatMap(({ event, code, reference, reportedAt: at }) => {
        return at === null ? [] : [{ event, code, reference, at }];
      }),
    };
  }

  /** Refusals: `simulation_requires_test_key`. */
  @HandlesRequest(GetSimulatedRails)
  async rails(_: object, context: RequestContext): Promise<SimulatedRails> {
    requireTestBook(context);
    const { book } = context.caller;
    const { sql } = this.#database;
    const { time: now, clock } = (await readSimulatedBooks(sql, [{ book }]))(book);
    const [loads, rules] = await Promise.all([
      readRailLoads(sql, book, externalRail.options),
      readActiveRuleViews(sql, book, now),
    ]);
    const kinds = everyKind(newYorkDate(now));
    const data = externalRail.options.map((rail): SimulatedRail => {
      const load = loads.find((each) => each.rail === rail);
      return {
        rail,
        directions: kinds.filter((kind) => kind.rail === rail).map(({ direction }) => direction),
        ...windowOf(rail, clock.mode === "Instant" ? null : now),
        ...rulesOf(rail, rules),
        held: load?.held ?? 0,
        inFlight: load?.inFlight ?? 0,
        nextStepAt: load?.nextStepAt?.toISOString() ?? null,
      };
    });
    return { now: now.toISOString(), data };
  }

  /** Newest first. Refusals: `simulation_requires_test_key`, `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListSimulationLog)
  async log(
    query: z.output<typeof ListSimulationLog.data>,
    context: RequestContext,
  ): Promise<Page<SimulationLogEntry>> {
    requireTestBook(context);
    const { limit, paymentOrderId: orderId } = query;
    const asked = { ...query, list: "simulation-log" };
    const before = uuidAfter(asked) ?? aboveAllUuids;
    const rows = await listLogEntries(this.#database.sql, context.caller.book, { before, limit, orderId });
    return pageOfRows(
      rows,
      limit,
      ({ entry }) => entry,
      ({ uuid }) => uuid,
      asked,
    );
  }
}

function viewOfStep({ number, event, dueAt, publishedAt }: ScheduledStep): SimulatedOrder["steps"][number] {
  return {
    number,
    event: event.kind,
    code: "code" in event ? event.code : null,
    reference: "reference" in event ? event.reference : null,
    dueAt: dueAt?.toISOString() ?? null,
    reportedAt: publishedAt?.toISOString() ?? null,
  };
}

/** @param now null in an Instant book, whose rails are always open. */
function windowOf(rail: SimulatedRail["rail"], now: Date | null) {
  const window = now === null ? ({ open: true, cutoffAt: null } as const) : windowAt(rail, now);
  return window.open
    ? { open: true, cutoffAt: window.cutoffAt?.toISOString() ?? null, opensAt: null }
    : { open: false, cutoffAt: null, opensAt: window.nextWindowOpensAt.toISOString() };
}

function rulesOf(rail: SimulatedRail["rail"], rules: readonly ActiveRuleView[]) {
  const acting = rules.filter(({ actsOn }) => actsOn.some((kind) => kind.startsWith(`${rail}/`)));
  return {
    outageId: acting.find(({ isOutage }) => isOutage)?.id ?? null,
    injectionIds: acting
      .filter(({ isOutage }) => !isOutage)
      .slice(0, maxShownRules)
      .map(({ id }) => id),
  };
}
