import { type DynamicModule, Module } from "@nestjs/common";
import { PlatformModule } from "../platform/platform.module.ts";
import { AskForRemittances } from "./ask-for-remittances.ts";
import { AssignInbound } from "./assign-inbound.ts";
import { AttributeInbound } from "./attribute-inbound.ts";
import { CloseAccount } from "./close-account.ts";
import { CONFIG, type LedgerConfig } from "./config.ts";
import { CreateAccount } from "./create-account.ts";
import { CreateObligation } from "./create-obligation.ts";
import { CreateReconciliation } from "./create-reconciliation.ts";
import { CreateTransaction } from "./create-transaction.ts";
import { FindReconciliations } from "./find-reconciliations.ts";
import { FixObligation } from "./fix-obligation.ts";
import { FreezeBook } from "./freeze-book.ts";
import { GoThroughBooks } from "./go-through-books.ts";
import { MissStatements } from "./miss-statements.ts";
import { MoveTransaction } from "./move-transaction.ts";
import { ReadAccounts } from "./read-accounts.ts";
import { ReadInboundPayments } from "./read-inbound-payments.ts";
import { ReadObligations } from "./read-obligations.ts";
import { ReadProof } from "./read-proof.ts";
import { ReadTransactions } from "./read-transactions.ts";
import { ReadVirtualAccounts } from "./read-virtual-accounts.ts";
import { ReceiveStatements } from "./receive-statements.ts";
import { Reconcile } from "./reconcile.ts";
import { RemitObligation } from "./remit-obligation.ts";
import { ResolveAccount } from "./resolve-account.ts";
import { RunHeldCommands } from "./run-held-commands.ts";
import { VirtualNumbers } from "./virtual-numbers.ts";
import { WriteJournals } from "./write-journals.ts";
import { WriteObligation } from "./write-obligation.ts";
import { WriteVirtualAccounts } from "./write-virtual-accounts.ts";

/** Books, accounts, journals and entries: the only writer of balanced entries. */
@Module({})
export class LedgerModule {
  static with(config: LedgerConfig): DynamicModule {
    return {
      module: LedgerModule,
      imports: [PlatformModule.forService({ service: "ledger", config })],
      controllers: [
        WriteJournals,
        CreateAccount,
        CloseAccount,
        ReadAccounts,
        ResolveAccount,
        CreateTransaction,
        MoveTransaction,
        ReadTransactions,
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
