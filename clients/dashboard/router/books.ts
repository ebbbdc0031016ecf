/** The addresses of the books: what came in, what is owed, accounts and their numbers, and whether the bank agrees. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readAccountFilters, readAccountView } from "../routes/ledger/filters.ts";
import { readInboundFilters } from "../routes/inbound/filters.ts";
import { readObligationFilters } from "../routes/obligations/filters.ts";
import { readRunFilters } from "../routes/reconciliation/filters.ts";
import { readVirtualAccountFilters } from "../routes/virtual-accounts/filters.ts";
import { shell } from "./shell-route.ts";

const inbound = createRoute({
  getParentRoute: () => shell,
  path: "/inbound",
  validateSearch: readInboundFilters,
  component: lazyRouteComponent(() => import("../routes/inbound.tsx"), "InboundPayments"),
});

const inboundPayment = createRoute({
  getParentRoute: () => shell,
  path: "/inbound/$id",
  component: lazyRouteComponent(() => import("../routes/inbound/inbound-payment.tsx"), "InboundPayment"),
});

const obligations = createRoute({
  getParentRoute: () => shell,
  path: "/obligations",
  validateSearch: readObligationFilters,
  component: lazyRouteComponent(() => import("../routes/obligations.tsx"), "Obligations"),
});

const obligation = createRoute({
  getParentRoute: () => shell,
  path: "/obligations/$id",
  component: lazyRouteComponent(() => import("../routes/obligations/obligation.tsx"), "Obligation"),
});

const ledger = createRoute({
  getParentRoute: () => shell,
  path: "/ledger",
  validateSearch: readAccountFilters,
  component: lazyRouteComponent(() => import("../routes/ledger.tsx"), "Ledger"),
});

const account = createRoute({
  getParentRoute: () => shell,
  path: "/ledger/$id",
  validateSearch: readAccountView,
  component: lazyRouteComponent(() => import("../routes/account.tsx"), "Account"),
});

const virtualAccounts = createRoute({
  getParentRoute: () => shell,
  path: "/virtual-accounts",
  validateSearch: readVirtualAccountFilters,
  component: lazyRouteComponent(() => import("../routes/virtual-accounts.tsx"), "VirtualAccounts"),
});

const virtualAccount = createRoute({
  getParentRoute: () => shell,
  path: "/virtual-accounts/$id",
  component: lazyRouteComponent(
    () => import("../routes/virtual-accounts/virtual-account.tsx"),
    "VirtualAccount",
  ),
});

const reconciliation = createRoute({
  getParentRoute: () => shell,
  path: "/reconciliation",
  validateSearch: readRunFilters,
  component: lazyRouteComponent(() => import("../routes/reconciliation.tsx"), "Reconciliation"),
});

const run = createRoute({
  getParentRoute: () => shell,
  path: "/reconciliation/$id",
  component: lazyRouteComponent(() => import("../routes/reconciliation/run.tsx"), "Run"),
});

export const books = [
  inbound,
  inboundPayment,
  obligations,
  obligation,
  ledger,
  account,
  virtualAccounts,
  virtualAccount,
  reconciliation,
  run,
] as const;
