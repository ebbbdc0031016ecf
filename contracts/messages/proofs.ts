import { ledgerJournalPage, ledgerJournalQuery, ledgerProof } from "../http/ledger/ledger-proof.ts";
import { request } from "../message.ts";
import { z } from "zod";

/** What a tenant can check of its book, from what is kept: nothing is summed for it. */
export const GetLedgerProof = request("ledger", "get-proof", z.object({}), ledgerProof);
/** Journals in their order, oldest first, with what a verifier needs. */
export const ListLedgerJournals = request("ledger", "list-journals", ledgerJournalQuery, ledgerJournalPage);
