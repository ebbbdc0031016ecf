/** The addresses of the dashboard. Each screen is loaded when it is opened, or when its link is hovered. */
import { createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { basePath } from "./book.ts";
import { Failure, NotFoundPage } from "./parts/failure.tsx";
import { books } from "./router/books.ts";
import { sandbox } from "./router/sandbox.ts";
import { root, shell } from "./router/shell-route.ts";
import { readAuditFilters } from "./routes/audit-log/filters.ts";
import { readKeyFilters } from "./routes/api-keys/filters.ts";
import { readInboxFilters } from "./routes/approvals/inbox-filters.ts";
import { readOrderFilters } from "./routes/order-filters.ts";
import { readRequestFilters } from "./routes/requests/filters.ts";
import { readDeliveryFilters } from "./routes/webhooks/filters.ts";
import { readPages } from "./routes/pages.ts";

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ next, failed }: Record<string, unknown>) => ({
    ...(typeof next === "string" ? { next } : {}),
    ...(failed === "openid" ? { failed } : {}),
  }),
  component: lazyRouteComponent(() => import("./routes/sign-in.tsx"), "SignIn"),
});

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => redirect({ to: "/approvals", throw: true }),
});

const approvals = createRoute({
  getParentRoute: () => shell,
  path: "/approvals",
  validateSearch: ({ order: chosen, tab, ...filters }: Record<string, unknown>) => ({
    ...(typeof chosen === "string" ? { order: chosen } : {}),
    ...(tab === "others" ? { tab: "others" as const } : {}),
    ...readInboxFilters(filters),
  }),
  component: lazyRouteComponent(() => import("./routes/approvals.tsx"), "Approvals"),
});

const orders = createRoute({
  getParentRoute: () => shell,
  path: "/orders",
  validateSearch: readOrderFilters,
  component: lazyRouteComponent(() => import("./routes/orders.tsx"), "Orders"),
});

const newOrder = createRoute({
  getParentRoute: () => shell,
  path: "/orders/new",
  component: lazyRouteComponent(() => import("./routes/new-order.tsx"), "NewOrder"),
});

const order = createRoute({
  getParentRoute: () => shell,
  path: "/orders/$id",
  component: lazyRouteComponent(() => import("./routes/order.tsx"), "Order"),
});

const policy = createRoute({
  getParentRoute: () => shell,
  path: "/policy",
  component: lazyRouteComponent(() => import("./routes/policy.tsx"), "Policy"),
});

const apiKeys = createRoute({
  getParentRoute: () => shell,
  path: "/api-keys",
  validateSearch: readKeyFilters,
  component: lazyRouteComponent(() => import("./routes/api-keys.tsx"), "ApiKeys"),
});

const people = createRoute({
  getParentRoute: () => shell,
  path: "/people",
  validateSearch: readPages,
  component: lazyRouteComponent(() => import("./routes/people.tsx"), "People"),
});

const auditLog = createRoute({
  getParentRoute: () => shell,
  path: "/audit-log",
  validateSearch: readAuditFilters,
  component: lazyRouteComponent(() => import("./routes/audit-log.tsx"), "AuditLog"),
});

const webhooks = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks",
  validateSearch: readDeliveryFilters,
  component: lazyRouteComponent(() => import("./routes/webhooks/deliveries.tsx"), "Deliveries"),
});

const webhook = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/$id",
  component: lazyRouteComponent(() => import("./routes/webhooks/delivery.tsx"), "Delivery"),
});

const webhookEndpoints = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/endpoints",
  component: lazyRouteComponent(() => import("./routes/webhooks/endpoints.tsx"), "Endpoints"),
});

const webhookEndpoint = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/endpoints/$id",
  component: lazyRouteComponent(() => import("./routes/webhooks/endpoint.tsx"), "Endpoint"),
});

const webhookReplays = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/replays",
  component: lazyRouteComponent(() => import("./routes/webhooks/replays.tsx"), "Replays"),
});

const requests = createRoute({
  getParentRoute: () => shell,
  path: "/requests",
  validateSearch: readRequestFilters,
  component: lazyRouteComponent(() => import("./routes/requests.tsx"), "Requests"),
});

const newObligation = createRoute({
  getParentRoute: () => shell,
  path: "/obligations/new",
  component: lazyRouteComponent(
    () => import("./routes/obligations/form/new-obligation.tsx"),
    "NewObligation",
  ),
});

const changeObligation = createRoute({
  getParentRoute: () => shell,
  path: "/obligations/$id/edit",
  component: lazyRouteComponent(
    () => import("./routes/obligations/form/change-obligation.tsx"),
    "ChangeObligation",
  ),
});

const otherwise = createRoute({ getParentRoute: () => shell, path: "$", component: NotFoundPage });

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    start,
    shell.addChildren([
      approvals,
      orders,
      newOrder,
      order,
      policy,
      apiKeys,
      people,
      auditLog,
      webhooks,
      webhook,
      webhookEndpoints,
      webhookEndpoint,
      webhookReplays,
      requests,
      newObligation,
      changeObligation,
      ...books,
      sandbox,
      otherwise,
    ]),
  ]),
  basepath: basePath,
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
  defaultNotFoundComponent: NotFoundPage,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
