/**
 * The addresses of the books: who is paid, what came in, what is owed, accounts and their numbers, and whether the bank
 * agrees.
 */
import { createRoute } from "@tanstack/react-router";
import { onlyRead } from "../parts/page/read-search.ts";
import { readCounterpartyFilters } from "../routes/counterparties/filters.ts";
import { readAccountFilters, readAccountView } from "../routes/ledger/filters.ts";
import { readInboundFilters } from "../routes/inbound/filters.ts";
import { readObligationFilters } from "../routes/obligations/filters.ts";
import { readRunFilters } from "../routes/reconciliation/filters.ts";
import { readVirtualAccountFilters } from "../routes/virtual-accounts/filters.ts";
import { screen } from "./screen.tsx";
import { shell } from "./shell-route.ts";

const counterparties = createRoute({
  getParentRoute: () => shell,
  path: "/counterparties",
  validateSearch: onlyRead(readCounterpartyFilters),
  component: screen(() => import("../routes/counterparties/counterparties.tsx"), "Counterparties"),
});

const newCounterparty = createRoute({
  getParentRoute: () => shell,
  path: "/counterparties/new",
  component: screen(() => import("../routes/counterparties/form/new-counterparty.tsx"), "NewCounterparty"),
});

const counterparty = createRoute({
  getParentRoute: () => shell,
  path: "/counterparties/$id",
  component: screen(() => import("../routes/counterparties/counterparty/counterparty.tsx"), "Counterparty"),
});

const editCounterparty = createRoute({
  getParentRoute: () => shell,
  path: "/counterparties/$id/edit",
  component: screen(() => import("../routes/counterparties/form/edit-counterparty.tsx"), "EditCounterparty"),
});

const inbound = createRoute({
  getParentRoute: () => shell,
  path: "/inbound",
  validateSearch: onlyRead(readInboundFilters),
  component: screen(() => import("../routes/inbound/inbound.tsx"), "InboundPayments"),
});

const inboundPayment = createRoute({
  getParentRoute: () => shell,
  path: "/inbound/$id",
  component: screen(() => import("../routes/inbound/inbound-payment.tsx"), "InboundPayment"),
});

const obligations = createRoute({
  getParentRoute: () => shell,
  path: "/obligations",
  validateSearch: onlyRead(readObligationFilters),
  component: screen(() => import("../routes/obligations/obligations.tsx"), "Obligations"),
});

const obligation = createRoute({
  getParentRoute: () => shell,
  path: "/obligations/$id",
  component: screen(() => import("../routes/obligations/obligation/obligation.tsx"), "Obligation"),
});

const ledger = createRoute({
  getParentRoute: () => shell,
  path: "/ledger",
  validateSearch: onlyRead(readAccountFilters),
  component: screen(() => import("../routes/ledger/ledger.tsx"), "Ledger"),
});

const account = createRoute({
  getParentRoute: () => shell,
  path: "/ledger/$id",
  validateSearch: onlyRead(readAccountView),
  component: screen(() => import("../routes/account/account.tsx"), "Account"),
});

const virtualAccounts = createRoute({
  getParentRoute: () => shell,
  path: "/virtual-accounts",
  validateSearch: onlyRead(readVirtualAccountFilters),
  component: screen(() => import("../routes/virtual-accounts/virtual-accounts.tsx"), "VirtualAccounts"),
});

const virtualAccount = createRoute({
  getParentRoute: () => shell,
  path: "/virtual-accounts/$id",
  component: screen(
    () => import("../routes/virtual-accounts/virtual-account/virtual-account.tsx"),
    "VirtualAccount",
  ),
});

const reconciliation = createRoute({
  getParentRoute: () => shell,
  path: "/reconciliation",
  validateSearch: onlyRead(readRunFilters),
  component: screen(() => import("../routes/reconciliation/reconciliation.tsx"), "Reconciliation"),
});

const run = createRoute({
  getParentRoute: () => shell,
  path: "/reconciliation/$id",
  component: screen(() => import("../routes/reconciliation/run.tsx"), "Run"),
});

export const books = [
  counterparties,
  newCounterparty,
  counterparty,
  editCounterparty,
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
