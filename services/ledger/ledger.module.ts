import { type DynamicModule, Module } from "@nestjs/common";
import { PlatformModule } from "../platform/platform.module.ts";
import type { PlatformConfig } from "../platform/process/config.ts";
import { CreateAccount } from "./create-account.ts";
import { FreezeBook } from "./freeze-book.ts";
import { ReadAccounts } from "./read-accounts.ts";
import { RunHeldCommands } from "./run-held-commands.ts";
import { WriteJournals } from "./write-journals.ts";

/** Books, accounts, journals and entries: the only writer of balanced entries. */
@Module({})
export class LedgerModule {
  static with(config: PlatformConfig): DynamicModule {
    return {
      module: LedgerModule,
      imports: [PlatformModule.forService({ service: "ledger", config })],
      controllers: [WriteJournals, CreateAccount, ReadAccounts, FreezeBook],
      providers: [RunHeldCommands],
    };
  }
}
