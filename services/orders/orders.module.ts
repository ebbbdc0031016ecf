import { type DynamicModule, Module } from "@nestjs/common";
import { PlatformModule } from "../platform/platform.module.ts";
import { WithLockedOrder } from "./requests/with-locked-order.ts";
import { ApplyEvents } from "./lifecycle/apply-events.consumer.ts";
import { ApproveOrder } from "./requests/approve-order.handler.ts";
import { CancelOrder } from "./requests/cancel-order.handler.ts";
import { PhaseTimeouts } from "./lifecycle/phase-timeouts.worker.ts";
import { DigestOrders } from "./digest/digest-orders.handler.ts";
import {
  ApplyClockToOrders,
  BookClockChanged,
  ReportOrdersProgress,
} from "../../contracts/messages/clocks.ts";
import { bookClockConsumer } from "../platform/clock/book-clock.consumer.ts";
import { bookClockHandler } from "../platform/clock/book-clock.handler.ts";
import { ClockFollower } from "../platform/clock/clock-follower.ts";
import { FollowClock } from "./clock/follow-clock.ts";
import { CONFIG, type OrdersConfig } from "./config.ts";
import { CreateCounterparty } from "./counterparties/create-counterparty.handler.ts";
import { CreateOrder } from "./creation/create-order.handler.ts";
import { CreateOrdersBatch } from "./creation/create-orders-batch.ts";
import { CreateRemittance } from "./creation/create-remittance.handler.ts";
import { DenyOrder } from "./requests/deny-order.handler.ts";
import { DecidePolicyProposal } from "./approval-policies/decide-proposal.handler.ts";
import { BuildDraft } from "./creation/build-draft.ts";
import { QueryCounterparties } from "./counterparties/query-counterparties.handler.ts";
import { DecideProposedChange } from "./counterparties/decide-proposed-change.handler.ts";
import { QueryProposedChanges } from "./counterparties/query-proposed-changes.handler.ts";
import { ProposeChanges } from "./counterparties/propose-changes.ts";
import { QueryInbox } from "./queries/query-inbox.handler.ts";
import { FindByPayee } from "./queries/find-by-payee.handler.ts";
import { QueryOrders } from "./queries/query-orders.handler.ts";
import { SentBackPayments } from "./unexpected-movements/sent-back-payments.consumer.ts";
import { SuspensePostings } from "./unexpected-movements/suspense-postings.consumer.ts";
import { ReplaceCounterparty } from "./counterparties/replace-counterparty.handler.ts";
import { PutApprovalPolicy } from "./approval-policies/put-policy.handler.ts";
import { QueryApprovalPolicy } from "./approval-policies/query-policy.handler.ts";
import { PreviewPolicy } from "./queries/preview-policy.handler.ts";
import { PreviewOrder } from "./queries/preview-order.handler.ts";
import { ResendSuspensePostings } from "./unexpected-movements/suspense-postings.worker.ts";
import { ResolveOrder } from "./requests/resolve-order.handler.ts";
import { SetCompletionDelay } from "./requests/set-completion-delay.handler.ts";
import { AccountLookup } from "./creation/account-lookup.ts";
import { Submission } from "./creation/submit.ts";
import { SubmitOrder } from "./requests/submit-order.handler.ts";
import { ApplyApprovalRights } from "./approval-rights/apply-approval-rights.handler.ts";
import { ApprovalRights } from "./approval-rights/approval-rights.consumer.ts";
import { SendPolicyToLedger } from "./approval-policies/send-policy-to-ledger.ts";
import { RecheckWaiting } from "./rechecks/recheck-waiting.worker.ts";
import { ArchiveCounterparty } from "./counterparties/archive-counterparty.handler.ts";
import { BookStatus } from "./lifecycle/book-status.consumer.ts";
import { LedgerCheckpoints } from "./proof/ledger-checkpoints.consumer.ts";
import { UpdateOrder } from "./requests/update-order.handler.ts";
import { VerifyCounterparty } from "./counterparties/verify-counterparty.handler.ts";
import { BookContexts } from "./lifecycle/book-context.ts";
import { EndedOrders } from "./lifecycle/ended-orders.ts";
import { UnappliedEvents } from "./lifecycle/unapplied-events.ts";
import { SubmittedTermsCache } from "./store/submitted-terms-cache.ts";
import { entities } from "./entities.ts";

const counterparties = [
  CreateCounterparty,
  ReplaceCounterparty,
  VerifyCounterparty,
  ArchiveCounterparty,
  QueryCounterparties,
  DecideProposedChange,
  QueryProposedChanges,
];

/** Payment orders: their lifecycle, approvals and controls. */
@Module({})
export class OrdersModule {
  static with(config: OrdersConfig): DynamicModule {
    return {
      module: OrdersModule,
      imports: [PlatformModule.forService({ service: "orders", config, entities })],
      controllers: [
        CreateOrder,
        CreateRemittance,
        UpdateOrder,
        SubmitOrder,
        ApproveOrder,
        CancelOrder,
        DenyOrder,
        PreviewOrder,
        QueryOrders,
        FindByPayee,
        QueryInbox,
        PreviewPolicy,
        ...counterparties,
        QueryApprovalPolicy,
        PutApprovalPolicy,
        DecidePolicyProposal,
        ApplyEvents,
        SuspensePostings,
        SentBackPayments,
        ResolveOrder,
        SetCompletionDelay,
        // Before BookStatus, in one transaction: whoever locks a right and `gate_recheck` locks the right first.
        ApprovalRights,
        BookStatus,
        LedgerCheckpoints,
        ApplyApprovalRights,
        bookClockConsumer(BookClockChanged),
        DigestOrders,
        bookClockHandler(ApplyClockToOrders, ReportOrdersProgress),
      ],
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: ClockFollower, useClass: FollowClock },
        AccountLookup,
        BuildDraft,
        Submission,
        CreateOrdersBatch,
        BookContexts,
        EndedOrders,
        UnappliedEvents,
        { provide: SubmittedTermsCache, useFactory: () => new SubmittedTermsCache() },
        ProposeChanges,
        SendPolicyToLedger,
        WithLockedOrder,
        PhaseTimeouts,
        RecheckWaiting,
        ResendSuspensePostings,
      ],
    };
  }
}
