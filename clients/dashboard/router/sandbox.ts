/** The addresses of the sandbox. In the Live book they lead nowhere. */
import { createRoute, notFound } from "@tanstack/react-router";
import { mode } from "../book.ts";
import { onlyRead, readPages } from "../parts/page/read-search.ts";
import { screen } from "./screen.tsx";
import { shell } from "./shell-route.ts";

const inTest = createRoute({
  getParentRoute: () => shell,
  id: "sandbox",
  beforeLoad: () => {
    if (mode !== "Test") notFound({ throw: true });
  },
});

const testSinks = createRoute({
  getParentRoute: () => inTest,
  path: "/webhooks/sinks",
  component: screen(() => import("../routes/webhooks/sinks/sinks.tsx"), "Sinks"),
});

const testSink = createRoute({
  getParentRoute: () => inTest,
  path: "/webhooks/sinks/$id",
  component: screen(() => import("../routes/webhooks/sinks/sink.tsx"), "Sink"),
});

const simulator = createRoute({
  getParentRoute: () => inTest,
  path: "/simulator",
  validateSearch: ({ virtualAccountId }: Record<string, unknown>) =>
    typeof virtualAccountId === "string" ? { virtualAccountId } : {},
  component: screen(() => import("../routes/simulator/simulator.tsx"), "Simulator"),
});

const simulatorRules = createRoute({
  getParentRoute: () => inTest,
  path: "/simulator/rules",
  component: screen(() => import("../routes/simulator/rules.tsx"), "Rules"),
});

const statementErrors = createRoute({
  getParentRoute: () => inTest,
  path: "/simulator/statement-errors",
  component: screen(() => import("../routes/simulator/statement-errors.tsx"), "StatementErrors"),
});

const simulationLog = createRoute({
  getParentRoute: () => inTest,
  path: "/simulator/log",
  validateSearch: onlyRead(readPages),
  component: screen(() => import("../routes/simulator/log.tsx"), "Log"),
});

export const sandbox = inTest.addChildren([
  testSinks,
  testSink,
  simulator,
  simulatorRules,
  statementErrors,
  simulationLog,
]);
