import { z } from "zod";
import {
  reconciliationCreate,
  reconciliationItemPage,
  reconciliationItemQuery,
  reconciliationPage,
  reconciliationQuery,
  reconciliationReport,
} from "../http/ledger/reconciliations.ts";
import { request } from "../message.ts";

/** Asks the bank for a statement up to now, reconciles it, and replies with the run. */
export const CreateReconciliation = request(
  "ledger",
  "create-reconciliation",
  reconciliationCreate,
  reconciliationReport,
);
export const GetReconciliation = request(
  "ledger",
  "get-reconciliation",
  z.object({ id: z.string() }),
  reconciliationReport,
);
export const ListReconciliationItems = request(
  "ledger",
  "list-reconciliation-items",
  z.object({ id: z.string(), query: reconciliationItemQuery }),
  reconciliationItemPage,
);
export const ListReconciliations = request(
  "ledger",
  "list-reconciliations",
  reconciliationQuery,
  reconciliationPage,
);
