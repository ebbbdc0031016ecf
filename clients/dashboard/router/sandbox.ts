/** The addresses of the sandbox. In the Live book they lead nowhere. */
import { createRoute, lazyRouteComponent, notFound } from "@tanstack/react-router";
import { mode } from "../book.ts";
import { readPages } from "../routes/pages.ts";
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
  component: lazyRouteComponent(() => import("../routes/webhooks/sinks.tsx"), "Sinks"),
});

const testSink = createRoute({
  getParentRoute: () => inTest,
  path: "/webhooks/sinks/$id",
  component: lazyRouteComponent(() => import("../routes/webhooks/sink.tsx"), "Sink"),
});

const simulator = createRoute({
  getParentRoute: () => inTest,
  path: "/simulator",
  component: lazyRouteComponent(() => import("../routes/simulator/simulator.tsx"), "Simulator"),
});

const simulatorRules = createRoute({
  getParentRoute: () => inTest,
  path: "/simulator/rules",
  component: lazyRouteComponent(() => import("../routes/simulator/rules.tsx"), "Rules"),
});

const statementErrors = createRoute({
  getParentRoute: () => inTest,
  path: "/simulator/statement-errors",
  component: lazyRouteComponent(() => import("../routes/simulator/statement-errors.tsx"), "StatementErrors"),
});

const simulationLog = createRoute({
  getParentRoute: () => inTest,
  path: "/simulator/log",
  validateSearch: readPages,
  component: lazyRouteComponent(() => import("../routes/simulator/log.tsx"), "Log"),
});

export const sandbox = inTest.addChildren([
  testSinks,
  testSink,
  simulator,
  simulatorRules,
  statementErrors,
  simulationLog,
]);
