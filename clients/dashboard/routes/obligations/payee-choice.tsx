import { CounterpartyChoice } from "../../parts/form/counterparty-choice.tsx";
import { obligationTexts } from "../../texts/obligations.ts";

const { payee: words } = obligationTexts;

interface PayeeChoiceProps {
  /** The counterparty's id; empty for nobody. */
  readonly value: string;
  readonly change: (id: string) => void;
  readonly fault: string | undefined;
}

/** Counterparties that are not archived, nobody, and whoever is chosen now. */
export function PayeeChoice(props: PayeeChoiceProps) {
  return <CounterpartyChoice label={words.choose} nobody={words.nobody} {...props} />;
}
