import { type DynamicModule, Module } from "@nestjs/common";
import { PlatformModule } from "../platform/platform.module.ts";
import { ActOnOrder } from "./act-on-order.ts";
import { AdvanceOrder } from "./advance-order.ts";
import { ApproveOrder } from "./approve-order.ts";
import { CancelOrder } from "./cancel-order.ts";
import { ChangeCounterparty } from "./change-counterparty.ts";
import { ChaseStuckOrders } from "./chase-stuck-orders.ts";
import { CONFIG, type OrdersConfig } from "./config.ts";
import { CreateCounterparty } from "./create-counterparty.ts";
import { CreateOrder } from "./create-order.ts";
import { CreateRemittance } from "./create-remittance.ts";
import { DenyOrder } from "./deny-order.ts";
import { DecidePolicyProposal } from "./decide-policy-proposal.ts";
import { DraftOrder } from "./draft-order.ts";
import { FindCounterparties } from "./find-counterparties.ts";
import { FindOrders } from "./find-orders.ts";
import { NoteStrayJournals } from "./note-stray-journals.ts";
import { ReplaceCounterparty } from "./replace-counterparty.ts";
import { PutApprovalPolicy } from "./put-approval-policy.ts";
import { ReadApprovalPolicy } from "./read-approval-policy.ts";
import { PreviewOrder } from "./preview-order.ts";
import { RemindOfStrays } from "./remind-of-strays.ts";
import { ResolveOrder } from "./resolve-order.ts";
import { Accounts } from "./resolve-accounts.ts";
import { Submission } from "./submission.ts";
import { SubmitOrder } from "./submit-order.ts";
import { SuspendBooks } from "./suspend-books.ts";
import { UpdateOrder } from "./update-order.ts";
import { VerifyCounterparty } from "./verify-counterparty.ts";
import { Worlds } from "./worlds.ts";

/** Payment orders: their lifecycle, approvals and controls. */
@Module({})
export class OrdersModule {
  static with(config: OrdersConfig): DynamicModule {
    return {
      module: OrdersModule,
      imports: [PlatformModule.forService({ service: "orders", config, keysKeptDays: null })],
      controllers: [
        CreateOrder,
        CreateRemittance,
        UpdateOrder,
        SubmitOrder,
        ApproveOrder,
        CancelOrder,
        DenyOrder,
        PreviewOrder,
        FindOrders,
        CreateCounterparty,
        ReplaceCounterparty,
        VerifyCounterparty,
        FindCounterparties,
        ReadApprovalPolicy,
        PutApprovalPolicy,
        DecidePolicyProposal,
        AdvanceOrder,
        NoteStrayJournals,
        ResolveOrder,
        SuspendBooks,
      ],
      providers: [
        { provide: CONFIG, useValue: config },
        Accounts,
        DraftOrder,
        Submission,
        Worlds,
        ActOnOrder,
        ChangeCounterparty,
        ChaseStuckOrders,
        RemindOfStrays,
      ],
    };
  }
}
