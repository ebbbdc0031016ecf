import type { VirtualAccountCreate } from "../../../typescript/types.gen.ts";

/** The form of a new virtual account. */
export interface Draft {
  readonly name: string;
  readonly ledgerAccountName: string;
  /** Empty for nobody. */
  readonly counterpartyId: string;
  readonly externalId: string;
  readonly description: string;
}

/** The virtual account that the form describes; undefined while it lacks its name or its ledger account. */
export function virtualAccountOf(draft: Draft): VirtualAccountCreate | undefined {
  const name = draft.name.trim();
  const ledgerAccountName = draft.ledgerAccountName.trim();
  if (name === "" || ledgerAccountName === "") return undefined;
  return {
    name,
    ledgerAccountName,
    ...(draft.counterpartyId === "" ? {} : { counterpartyId: draft.counterpartyId }),
    ...only("externalId", draft.externalId),
    ...only("description", draft.description),
  };
}

function only(field: "externalId" | "description", text: string): Partial<Record<typeof field, string>> {
  return text.trim() === "" ? {} : { [field]: text.trim() };
}
