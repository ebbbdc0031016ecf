import { Field } from "../../parts/field.tsx";
import { texts } from "../../texts/texts.ts";

const { form: words } = texts.virtualAccounts;

interface DescriptionFieldProps {
  readonly fault: string | undefined;
  readonly value: string;
  readonly change: (value: string) => void;
}

export function DescriptionField({ fault, value, change }: DescriptionFieldProps) {
  return (
    <Field label={words.description} hint={words.descriptionHint} fault={fault}>
      {(own) => (
        <textarea
          {...own}
          rows={2}
          maxLength={255}
          value={value}
          onChange={(event) => change(event.target.value)}
        />
      )}
    </Field>
  );
}
