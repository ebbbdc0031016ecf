import { Card } from "../../../parts/page/card.tsx";
import { ChoiceField, TextField } from "../../../parts/form/field.tsx";
import { obligationTexts } from "../../../texts/obligations.ts";
import { types } from "../filters.ts";
import { PayeeChoice } from "../payee-choice.tsx";
import type { ObligationDraft } from "./draft.ts";

const { form: words, types: typeNames } = obligationTexts;

interface AboutFieldsProps {
  readonly draft: ObligationDraft;
  readonly change: (part: Partial<ObligationDraft>) => void;
  /** The type is chosen once. */
  readonly isNew: boolean;
  readonly faultAt: (pointer: string) => string | undefined;
}

export function AboutFields({ draft, change, isNew, faultAt }: AboutFieldsProps) {
  return (
    <Card title={words.about}>
      <div className="form">
        <div className="pair">
          <TextField
            label={words.reference}
            hint={words.referenceHint}
            fault={faultAt("/reference")}
            required
            maxLength={100}
            value={draft.reference}
            change={(reference) => change({ reference })}
          />
          {isNew && (
            <ChoiceField
              label={words.type}
              hint={words.typeHint}
              fault={faultAt("/type")}
              options={types.map((type) => [type, typeNames[type]] as const)}
              value={draft.type}
              change={(type) => change({ type })}
            />
          )}
        </div>
        <div className="pair">
          <TextField
            label={words.jurisdiction}
            hint={words.jurisdictionHint}
            fault={faultAt("/jurisdiction")}
            maxLength={100}
            value={draft.jurisdiction}
            change={(jurisdiction) => change({ jurisdiction })}
          />
          <TextField
            label={words.period}
            hint={words.periodHint}
            fault={faultAt("/period")}
            maxLength={50}
            value={draft.period}
            change={(period) => change({ period })}
          />
        </div>
        <PayeeChoice
          value={draft.payeeId}
          change={(payeeId) => change({ payeeId })}
          fault={faultAt("/payeeCounterpartyId")}
        />
      </div>
    </Card>
  );
}
