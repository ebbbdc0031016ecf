import { useCounterparties } from "../../api/new-order.ts";
import { ChoiceField } from "../../parts/field.tsx";
import { visible } from "../../parts/visible-text.ts";
import { texts } from "../../texts/texts.ts";

const { payee: words } = texts.obligations;

interface PayeeChoiceProps {
  /** The counterparty's id; empty for nobody. */
  readonly value: string;
  readonly change: (id: string) => void;
  readonly fault: string | undefined;
}

/** Counterparties that are not archived, nobody, and whoever is chosen now. */
export function PayeeChoice({ value, change, fault }: PayeeChoiceProps) {
  const { data: counterparties = [] } = useCounterparties();
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
