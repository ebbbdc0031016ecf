import { ProposalEntity } from "./approval-policies/store/policy-proposal.entity.ts";
import { AccountEntity, CounterpartyEntity } from "./counterparties/store/counterparty.entity.ts";

/** The tables of this service that are mapped to entities. */
export const entities = [CounterpartyEntity, AccountEntity, ProposalEntity];
