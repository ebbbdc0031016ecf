import { ChoiceField, TextField } from "../../../parts/form/field.tsx";
import { Card } from "../../../parts/page/card.tsx";
import { counterpartyTexts } from "../../../texts/counterparties.ts";
import type { CounterpartyDraft } from "./draft.ts";

const { form: words, types } = counterpartyTexts;

export interface FieldsProps {
  readonly draft: CounterpartyDraft;
  readonly change: (part: Partial<CounterpartyDraft>) => void;
  readonly faultAt: (pointer: string) => string | undefined;
}

export function AboutFields({ draft, change, faultAt }: FieldsProps) {
  return (
    <Card title={words.about}>
      <div className="form">
        <div className="pair">
          <TextField
            label={words.name}
            hint={words.nameHint}
            fault={faultAt("/name")}
            required
            maxLength={140}
            value={draft.name}
            change={(name) => change({ name })}
          />
          <ChoiceField
            label={words.type}
            fault={faultAt("/type")}
            options={[
              ["Business", types.Business],
              ["Individual", types.Individual],
            ]}
            value={draft.type}
            change={(type) => change({ type })}
          />
        </div>
        <div className="pair">
          <TextField
            label={words.email}
            fault={faultAt("/email")}
            inputMode="email"
            maxLength={254}
            value={draft.email}
            change={(email) => change({ email })}
          />
          <TextField
            label={words.externalId}
            hint={words.externalIdHint}
            fault={faultAt("/externalId")}
            maxLength={255}
            value={draft.externalId}
            change={(externalId) => change({ externalId })}
          />
        </div>
      </div>
    </Card>
  );
}
