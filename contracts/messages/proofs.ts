import { ledgerJournalPage, ledgerJournalQuery, ledgerProof } from "../http/ledger/ledger-proof.ts";
import { request } from "../message.ts";
import { z } from "zod";

/** The proof of a tenant's book, read from stored totals: no entries are summed for it. */
export const GetLedgerProof = request("ledger", "get-proof", z.object({}), ledgerProof);
/** Journals, oldest first, with everything that a verifier needs. */
export const ListLedgerJournals = request("ledger", "list-journals", ledgerJournalQuery, ledgerJournalPage);
