/** The addresses of the dashboard. Each screen is loaded when it is opened, or when its link is hovered. */
import { createRoute, createRouter, redirect } from "@tanstack/react-router";
import { basePath } from "./book.ts";
import { Failure, NotFoundPage } from "./parts/page/failure.tsx";
import { books } from "./router/books.ts";
import { sandbox } from "./router/sandbox.ts";
import { screen } from "./router/screen.tsx";
import { root, shell } from "./router/shell-route.ts";
import { readAuditFilters } from "./routes/audit-log/filters.ts";
import { readKeyFilters } from "./routes/api-keys/filters.ts";
import { readNewOrder } from "./routes/new-order/filters.ts";
import { readApprovalsView } from "./routes/approvals/filters.ts";
import { readOrderFilters } from "./routes/orders/filters.ts";
import { readRequestFilters } from "./routes/requests/filters.ts";
import { readDeliveryFilters } from "./routes/webhooks/deliveries/filters.ts";
import { readEventFilters } from "./routes/webhooks/events/filters.ts";
import { onlyRead, readPages } from "./parts/page/read-search.ts";

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ next, tenant, failed }: Record<string, unknown>) => ({
    ...(typeof next === "string" ? { next } : {}),
    ...(typeof tenant === "string" ? { tenant } : {}),
    ...(failed === "openid" ? { failed } : {}),
  }),
  component: screen(() => import("./routes/sign-in/sign-in.tsx"), "SignIn"),
});

const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => redirect({ to: "/approvals", throw: true }),
});

const approvals = createRoute({
  getParentRoute: () => shell,
  path: "/approvals",
  validateSearch: onlyRead(readApprovalsView),
  component: screen(() => import("./routes/approvals/approvals.tsx"), "Approvals"),
});

const orders = createRoute({
  getParentRoute: () => shell,
  path: "/orders",
  validateSearch: onlyRead(readOrderFilters),
  component: screen(() => import("./routes/orders/orders.tsx"), "Orders"),
});

const newOrder = createRoute({
  getParentRoute: () => shell,
  path: "/orders/new",
  validateSearch: readNewOrder,
  component: screen(() => import("./routes/new-order/new-order.tsx"), "NewOrder"),
});

const order = createRoute({
  getParentRoute: () => shell,
  path: "/orders/$id",
  component: screen(() => import("./routes/order/order.tsx"), "Order"),
});

const policy = createRoute({
  getParentRoute: () => shell,
  path: "/policy",
  component: screen(() => import("./routes/policy/policy.tsx"), "Policy"),
});

const apiKeys = createRoute({
  getParentRoute: () => shell,
  path: "/api-keys",
  validateSearch: onlyRead(readKeyFilters),
  component: screen(() => import("./routes/api-keys/api-keys.tsx"), "ApiKeys"),
});

const people = createRoute({
  getParentRoute: () => shell,
  path: "/people",
  validateSearch: onlyRead(readPages),
  component: screen(() => import("./routes/people/people.tsx"), "People"),
});

const auditLog = createRoute({
  getParentRoute: () => shell,
  path: "/audit-log",
  validateSearch: onlyRead(readAuditFilters),
  component: screen(() => import("./routes/audit-log/audit-log.tsx"), "AuditLog"),
});

const webhooks = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks",
  validateSearch: onlyRead(readDeliveryFilters),
  component: screen(() => import("./routes/webhooks/deliveries/deliveries.tsx"), "Deliveries"),
});

const webhook = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/$id",
  component: screen(() => import("./routes/webhooks/deliveries/delivery.tsx"), "Delivery"),
});

const webhookEvents = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/events",
  validateSearch: onlyRead(readEventFilters),
  component: screen(() => import("./routes/webhooks/events/events.tsx"), "Events"),
});

const webhookEvent = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/events/$id",
  component: screen(() => import("./routes/webhooks/events/event.tsx"), "Event"),
});

const webhookEndpoints = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/endpoints",
  component: screen(() => import("./routes/webhooks/endpoints/endpoints.tsx"), "Endpoints"),
});

const webhookEndpoint = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/endpoints/$id",
  component: screen(() => import("./routes/webhooks/endpoints/endpoint.tsx"), "Endpoint"),
});

const webhookReplays = createRoute({
  getParentRoute: () => shell,
  path: "/webhooks/replays",
  component: screen(() => import("./routes/webhooks/replays/replays.tsx"), "Replays"),
});

const requests = createRoute({
  getParentRoute: () => shell,
  path: "/requests",
  validateSearch: onlyRead(readRequestFilters),
  component: screen(() => import("./routes/requests/requests.tsx"), "Requests"),
});

const newObligation = createRoute({
  getParentRoute: () => shell,
  path: "/obligations/new",
  component: screen(() => import("./routes/obligations/form/new-obligation.tsx"), "NewObligation"),
});

const changeObligation = createRoute({
  getParentRoute: () => shell,
  path: "/obligations/$id/edit",
  component: screen(() => import("./routes/obligations/form/change-obligation.tsx"), "ChangeObligation"),
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
      webhookEvents,
      webhookEvent,
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
