import { useNewestCounterparties } from "../../api/orders/counterparties.ts";
import { ChoiceField } from "../../parts/form/field.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { obligationTexts } from "../../texts/obligations.ts";

const { payee: words } = obligationTexts;

interface PayeeChoiceProps {
  /** The counterparty's id; empty for nobody. */
  readonly value: string;
  readonly change: (id: string) => void;
  readonly fault: string | undefined;
}

/** Counterparties that are not archived, nobody, and whoever is chosen now. */
export function PayeeChoice({ value, change, fault }: PayeeChoiceProps) {
  const { data: counterparties = [] } = useNewestCounterparties();
  const listed = counterparties.filter(({ archivedAt, id }) => archivedAt === null || id === value);
  const isListed = value === "" || listed.some(({ id }) => id === value);
  return (
    <ChoiceField
      label={words.choose}
      options={[
        ["", words.nobody],
        ...(isListed ? [] : [[value, value] as const]),
        ...listed.map(({ id, name }) => [id, visible(name)] as const),
      ]}
      value={value}
      change={change}
      fault={fault}
    />
  );
}
