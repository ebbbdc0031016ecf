import type { Scope } from "../../../typescript/types.gen.ts";
import { ChoiceField, Field, TextField } from "../../parts/form/field.tsx";
import { apiKeyTexts } from "../../texts/api-keys.ts";
import type { KeyDraft } from "./key-draft.ts";

const { form: words, scopes: scopeWords } = apiKeyTexts;

interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly change: (draft: KeyDraft) => void;
  /** The scopes to choose from. */
  readonly among: readonly Scope[];
  readonly faultAt: (pointer: string) => string | undefined;
}

export function KeyFields({ draft, change, among, faultAt }: KeyFieldsProps) {
  const toggle = (scope: Scope) => {
    const others = draft.scopes.filter((one) => one !== scope);
    change({ ...draft, scopes: others.length === draft.scopes.length ? [...others, scope] : others });
  };
  return (
    <>
      <TextField
        label={words.name}
        hint={words.nameHint}
        fault={faultAt("/name")}
        required
        maxLength={100}
        value={draft.name}
        change={(name) => change({ ...draft, name })}
      />
      <TextField
        label={words.principal}
        hint={words.principalHint}
        fault={faultAt("/principal")}
        required
        maxLength={100}
        value={draft.principal}
        change={(principal) => change({ ...draft, principal })}
      />
      <fieldset className="choices">
        <legend>{words.scopes}</legend>
        {among.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              className="tick"
              checked={draft.scopes.includes(scope)}
              onChange={() => toggle(scope)}
            />
            <span>
              {scopeWords[scope]} <span className="mono">{scope}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <ChoiceField
        label={words.expires}
        options={[
          ["d30", words.expiry.d30],
          ["d90", words.expiry.d90],
          ["d365", words.expiry.d365],
          ["never", words.expiry.never],
        ]}
        value={draft.expiry}
        change={(expiry) => change({ ...draft, expiry })}
      />
      <Field label={words.addresses} hint={words.addressesHint} fault={faultAt("/ipAllowlist")}>
        {(own) => (
          <textarea
            {...own}
            rows={2}
            value={draft.addresses}
            onChange={(event) => change({ ...draft, addresses: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}
