import type { Counterparty, ProposedChange } from "../../../../typescript/types.gen.ts";
import { masked } from "../../../parts/values/masked.ts";
import { visible } from "../../../parts/values/visible-text.ts";
import { counterpartyTexts } from "../../../texts/counterparties.ts";

const { changes: words } = counterpartyTexts;
const fields = ["accountNumber", "routingNumber", "name", "transactionCode", "individualId"] as const;

interface CorrectionProps {
  readonly change: ProposedChange;
  readonly counterparty: Counterparty;
}

/** Each corrected field, and while the proposal is open its current value. */
export function Correction({ change, counterparty }: CorrectionProps) {
  const { correctedData, status } = change;
  return fields.map((field) => {
    const value = correctedData[field];
    if (value === null) return null;
    const current = status === "Open" ? currentOf(field, change, counterparty) : "";
    return (
      <small key={field}>
        {words.field[field]}:{" "}
        <b className="mono">{field === "accountNumber" ? masked(value) : visible(value)}</b>
        {current !== "" && ` (${words.from(current)})`}
      </small>
    );
  });
}

/** Every value, if the accounts concerned differ. Empty for what a counterparty does not store. */
function currentOf(
  field: (typeof fields)[number],
  { rails }: ProposedChange,
  { name, accounts }: Counterparty,
) {
  if (field === "name") return visible(name);
  const concerned = accounts.filter(({ rail }) => rails.includes(rail));
  const values =
    field === "accountNumber"
      ? concerned.map(({ accountNumber }) => masked(accountNumber))
      : field === "routingNumber"
        ? concerned.map(({ routingNumber }) => visible(routingNumber))
        : [];
  return [...new Set(values)].join(", ");
}
