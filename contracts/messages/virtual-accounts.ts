import { z } from "zod";
import {
  virtualAccount,
  virtualAccountCreate,
  virtualAccountPage,
  virtualAccountPatch,
  virtualAccountQuery,
} from "../http/ledger/virtual-accounts.ts";
import { request } from "../message.ts";

const byId = z.object({ id: z.string() });

export const CreateVirtualAccount = request(
  "ledger",
  "create-virtual-account",
  virtualAccountCreate,
  virtualAccount,
);
export const GetVirtualAccount = request("ledger", "get-virtual-account", byId, virtualAccount);
export const ListVirtualAccounts = request(
  "ledger",
  "list-virtual-accounts",
  virtualAccountQuery,
  virtualAccountPage,
);
export const ChangeVirtualAccount = request(
  "ledger",
  "change-virtual-account",
  byId.extend({ action: z.enum(["Disable", "Enable", "Close"]) }),
  virtualAccount,
);
export const UpdateVirtualAccount = request(
  "ledger",
  "update-virtual-account",
  byId.extend({ patch: virtualAccountPatch }),
  virtualAccount,
);
