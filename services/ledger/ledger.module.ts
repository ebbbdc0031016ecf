import { type DynamicModule, Module } from "@nestjs/common";
import { PlatformModule } from "../platform/platform.module.ts";
import { RequestRemittanceOrders } from "./obligations/request-remittance-orders.worker.ts";
import { ReadInbox } from "./inbox/read-inbox.handler.ts";
import { AssignInbound } from "./inbound-payments/assign-inbound.handler.ts";
import { ReceiveInbound } from "./inbound-payments/receive-inbound.consumer.ts";
import { ReceiveReturns } from "./inbound-payments/receive-returns.consumer.ts";
import { CloseAccount } from "./accounts/close-account.handler.ts";
import { DigestEntries } from "./digest/digest-entries.handler.ts";
import {
  ApplyClockToLedger,
  BookClockChanged,
  ReportLedgerProgress,
} from "../../contracts/messages/clocks.ts";
import { bookClockConsumer } from "../platform/clock/book-clock.consumer.ts";
import { bookClockHandler } from "../platform/clock/book-clock.handler.ts";
import { ClockFollower } from "../platform/clock/clock-follower.ts";
import { FollowClock } from "./clock/follow-clock.ts";
import { CONFIG, type LedgerConfig } from "./config.ts";
import { CreateAccount } from "./accounts/create-account.handler.ts";
import { CreateObligation } from "./obligations/create-obligation.handler.ts";
import { CreateReconciliation } from "./reconciliation/create-reconciliation.handler.ts";
import { CreateTransaction } from "./transactions/create-transaction.handler.ts";
import { QueryReconciliations } from "./reconciliation/query-reconciliations.handler.ts";
import { FixObligation } from "./obligations/fix-obligation.handler.ts";
import { FreezeBook } from "./audit/freeze-book.handler.ts";
import { DropCommand } from "./audit/drop-command.handler.ts";
import { QuarantineCommand } from "./audit/quarantine-command.handler.ts";
import { RetryCommand } from "./audit/retry-command.handler.ts";
import { Auditor } from "./audit/auditor.worker.ts";
import { FlagMissingStatements } from "./reconciliation/flag-missing-statements.worker.ts";
import { ApplyPolicy } from "./transactions/apply-policy.handler.ts";
import { StorePolicy } from "./transactions/store-policy.consumer.ts";
import { PostVoidReverse } from "./transactions/post-void-reverse.handler.ts";
import { UpdateAccount } from "./accounts/update-account.handler.ts";
import { QueryStatement } from "./accounts/query-statement.handler.ts";
import { QueryHistory } from "./accounts/query-history.handler.ts";
import { StatementCursor } from "./accounts/statement-cursor.ts";
import { QueryAccounts } from "./accounts/query-accounts.handler.ts";
import { QueryInboundPayments } from "./inbound-payments/query-inbound.handler.ts";
import { QueryObligations } from "./obligations/query-obligations.handler.ts";
import { QueryProof } from "./audit/query-proof.handler.ts";
import { QueryTransactions } from "./transactions/query-transactions.handler.ts";
import { FindByName } from "./virtual-accounts/find-by-name.handler.ts";
import { QueryVirtualAccounts } from "./virtual-accounts/query-virtual-accounts.handler.ts";
import { ReceiveStatements } from "./reconciliation/receive-statements.consumer.ts";
import { StatementReconciler } from "./reconciliation/reconcile-statement.ts";
import { RemitObligation } from "./obligations/remit-obligation.handler.ts";
import { ResolveAccount } from "./virtual-accounts/resolve-account.handler.ts";
import { ReplayDeferredCommands } from "./audit/replay-deferred-commands.worker.ts";
import { VirtualAccountNumbers } from "./virtual-accounts/virtual-account-number.ts";
import { CheckHold } from "./posting/check-hold.handler.ts";
import { PostCommands } from "./posting/post-commands.consumer.ts";
import { ObligationWriter } from "./obligations/with-locked-obligation.ts";
import { ManageVirtualAccounts } from "./virtual-accounts/manage-virtual-accounts.handler.ts";

/** Books, accounts, journals and entries: the only writer of balanced entries. */
@Module({})
export class LedgerModule {
  static with(config: LedgerConfig): DynamicModule {
    return {
      module: LedgerModule,
      imports: [PlatformModule.forService({ service: "ledger", config })],
      controllers: [
        PostCommands,
        CheckHold,
        CreateAccount,
        CloseAccount,
        QueryAccounts,
        QueryStatement,
        QueryHistory,
        UpdateAccount,
        ResolveAccount,
        CreateTransaction,
        PostVoidReverse,
        ApplyPolicy,
        StorePolicy,
        QueryTransactions,
        QueryProof,
        FreezeBook,
        RetryCommand,
        QuarantineCommand,
        DropCommand,
        CreateObligation,
        FixObligation,
        RemitObligation,
        QueryObligations,
        CreateReconciliation,
        QueryReconciliations,
        ReceiveStatements,
        ManageVirtualAccounts,
        QueryVirtualAccounts,
        FindByName,
        ReceiveInbound,
        ReceiveReturns,
        AssignInbound,
        ReadInbox,
        QueryInboundPayments,
        bookClockConsumer(BookClockChanged),
        DigestEntries,
        bookClockHandler(ApplyClockToLedger, ReportLedgerProgress),
      ],
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: ClockFollower, useClass: FollowClock },
        VirtualAccountNumbers,
        StatementCursor,
        ReplayDeferredCommands,
        Auditor,
        ObligationWriter,
        RequestRemittanceOrders,
        StatementReconciler,
        FlagMissingStatements,
      ],
    };
  }
}
