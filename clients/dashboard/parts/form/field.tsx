import { type InputHTMLAttributes, type ReactNode, useId } from "react";

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** What the API says is wrong with the value. */
  readonly fault?: string | undefined;
  readonly children: (attributes: {
    id: string;
    "aria-describedby"?: string;
    "aria-invalid"?: true;
  }) => ReactNode;
}

/** A label, its control, and under it a hint or what is wrong. */
export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId();
  const note = fault ?? hint;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(note === undefined ? {} : { "aria-describedby": `${id}-note` }),
        ...(fault === undefined ? {} : { "aria-invalid": true }),
      })}
      {note !== undefined && (
        <small id={`${id}-note`} className={fault === undefined ? "dim" : "fault"}>
          {note}
        </small>
      )}
    </div>
  );
}

interface TextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "value"> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
  readonly value: string;
  readonly change: (value: string) => void;
}

export function TextField({ label, hint, fault, change, ...attributes }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(own) => (
        <input autoComplete="off" {...attributes} {...own} onChange={(event) => change(event.target.value)} />
      )}
    </Field>
  );
}

interface ChoiceFieldProps<T extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly value: T;
  readonly change: (value: T) => void;
  readonly fault?: string | undefined;
  readonly hint?: string | undefined;
}

export function ChoiceField<T extends string>({
  label,
  options,
  value,
  change,
  fault,
  hint,
}: ChoiceFieldProps<T>) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(own) => (
        <select
          {...own}
          value={value}
          onChange={(event) => {
            const chosen = options.find(([one]) => one === event.target.value);
            if (chosen !== undefined) change(chosen[0]);
          }}
        >
          {options.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
