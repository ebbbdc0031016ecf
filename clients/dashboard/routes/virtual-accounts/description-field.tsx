import { Field } from "../../parts/form/field.tsx";
import { virtualAccountTexts } from "../../texts/virtual-accounts.ts";

const { form: words } = virtualAccountTexts;

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
