import { type DynamicModule, Module } from "@nestjs/common";
import { PlatformModule } from "../platform/platform.module.ts";
import { AskForRemittances } from "./obligations/request-remittance-orders.worker.ts";
import { AssignInbound } from "./inbound-payments/assign-inbound.handler.ts";
import { AttributeInbound } from "./inbound-payments/receive-inbound.consumer.ts";
import { CloseAccount } from "./accounts/close-account.handler.ts";
import { CONFIG, type LedgerConfig } from "./config.ts";
import { CreateAccount } from "./accounts/create-account.handler.ts";
import { CreateObligation } from "./obligations/create-obligation.handler.ts";
import { CreateReconciliation } from "./reconciliation/create-reconciliation.handler.ts";
import { CreateTransaction } from "./transactions/create-transaction.handler.ts";
import { FindReconciliations } from "./reconciliation/query-reconciliations.handler.ts";
import { FixObligation } from "./obligations/fix-obligation.handler.ts";
import { FreezeBook } from "./audit/freeze-book.handler.ts";
import { GoThroughBooks } from "./audit/auditor.worker.ts";
import { MissStatements } from "./reconciliation/flag-missing-statements.worker.ts";
import { PostVoidReverse } from "./transactions/post-void-reverse.handler.ts";
import { QueryAccounts } from "./accounts/query-accounts.handler.ts";
import { ReadInboundPayments } from "./inbound-payments/query-inbound.handler.ts";
import { ReadObligations } from "./obligations/query-obligations.handler.ts";
import { ReadProof } from "./audit/query-proof.handler.ts";
import { QueryTransactions } from "./transactions/query-transactions.handler.ts";
import { ReadVirtualAccounts } from "./virtual-accounts/query-virtual-accounts.handler.ts";
import { ReceiveStatements } from "./reconciliation/receive-statements.consumer.ts";
import { Reconcile } from "./reconciliation/reconcile-statement.ts";
import { RemitObligation } from "./obligations/remit-obligation.handler.ts";
import { ResolveAccount } from "./virtual-accounts/resolve-account.handler.ts";
import { RunHeldCommands } from "./audit/replay-deferred-commands.worker.ts";
import { VirtualNumbers } from "./virtual-accounts/virtual-account-number.ts";
import { PostCommands } from "./posting/post-commands.consumer.ts";
import { WriteObligation } from "./obligations/with-locked-obligation.ts";
import { WriteVirtualAccounts } from "./virtual-accounts/manage-virtual-accounts.handler.ts";

/** Books, accounts, journals and entries: the only writer of balanced entries. */
@Module({})
export class LedgerModule {
  static with(config: LedgerConfig): DynamicModule {
    return {
      module: LedgerModule,
      imports: [PlatformModule.forService({ service: "ledger", config })],
      controllers: [
        PostCommands,
        CreateAccount,
        CloseAccount,
        QueryAccounts,
        ResolveAccount,
        CreateTransaction,
        PostVoidReverse,
        QueryTransactions,
        ReadProof,
        FreezeBook,
        CreateObligation,
        FixObligation,
        RemitObligation,
        ReadObligations,
        CreateReconciliation,
        FindReconciliations,
        ReceiveStatements,
        WriteVirtualAccounts,
        ReadVirtualAccounts,
        AttributeInbound,
        AssignInbound,
        ReadInboundPayments,
      ],
      providers: [
        { provide: CONFIG, useValue: config },
        VirtualNumbers,
        RunHeldCommands,
        GoThroughBooks,
        WriteObligation,
        AskForRemittances,
        Reconcile,
        MissStatements,
      ],
    };
  }
}
