import { useState } from "react";
import type { PersonCreated, Role } from "../../../typescript/types.gen.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { useCreatePerson } from "../../api/people/people.ts";
import { faultsOf } from "../../api/client/problem.ts";
import { mode } from "../../book.ts";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { TextField } from "../../parts/form/field.tsx";
import { Secret } from "../../parts/copy/secret.tsx";
import { Sheet } from "../../parts/page/sheet.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { ConfirmFailure } from "../../shell/confirm-failure.tsx";
import { peopleTexts } from "../../texts/people.ts";
import { RoleChoices } from "./role-choices.tsx";

const { form: words, password: passwordWords } = peopleTexts;
/** The confirmation can show a form of its own, so the buttons stand outside of this one. */
const formId = "create-person";

/** Adds a person. The first password is shown once, for the admin to hand over. */
export function CreatePerson({ close }: { close: () => void }) {
  const isAway = useAwaySince() !== null;
  const [created, setCreated] = useState<PersonCreated>();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [typedPrincipal, setPrincipal] = useState<string>();
  const [roles, setRoles] = useState<readonly Role[]>([]);
  const create = useCreatePerson(setCreated);
  const principal = typedPrincipal ?? email.split("@")[0] ?? "";
  const faultAt = faultsOf(create.error);
  if (created !== undefined) {
    const isWaiting = roles.some((role) => !created.roles[mode].includes(role));
    return <FirstPassword created={created} isWaiting={isWaiting} close={close} />;
  }
  const body = {
    name: name.trim(),
    email: email.trim(),
    principal: principal.trim(),
    roles: [...roles],
  };
  const send = () => create.mutate(body);
  return (
    <Sheet title={words.title} close={close} isAsking={create.isPending}>
      <form
        id={formId}
        className="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <TextField
          label={words.name}
          fault={faultAt("/name")}
          required
          maxLength={100}
          value={name}
          change={setName}
        />
        <TextField
          label={words.email}
          hint={words.emailHint}
          fault={faultAt("/email")}
          required
          type="email"
          maxLength={254}
          value={email}
          change={setEmail}
        />
        <TextField
          label={words.principal}
          hint={words.principalHint}
          fault={faultAt("/principal")}
          required
          maxLength={100}
          value={principal}
          change={setPrincipal}
        />
        <RoleChoices chosen={roles} change={setRoles} />
      </form>
      <p className="dim">{words.note[mode]}</p>
      <ConfirmFailure error={create.error} retry={send} />
      <div className="actions">
        <button type="submit" form={formId} className="primary" disabled={create.isPending || isAway}>
          {create.isPending ? words.asking : words.submit}
        </button>
        <button type="button" disabled={create.isPending} onClick={close}>
          {words.cancel}
        </button>
        <CopyCurl request={{ method: "POST", path: "/v1/people", body }} />
      </div>
    </Sheet>
  );
}

interface FirstPasswordProps {
  readonly created: PersonCreated;
  readonly isWaiting: boolean;
  readonly close: () => void;
}

/** Neither Escape nor a click beside it loses the password. */
function FirstPassword({ created: { name, password }, isWaiting, close }: FirstPasswordProps) {
  return (
    <Sheet title={password === null ? passwordWords.added(visible(name)) : passwordWords.title}>
      <p>{password === null ? passwordWords.none : passwordWords.once(visible(name))}</p>
      {password !== null && <Secret label={passwordWords.label} text={password} />}
      {isWaiting && <p className="banner warn">{passwordWords.waiting}</p>}
      <div className="actions">
        <button type="button" className="primary" onClick={close}>
          {password === null ? words.close : passwordWords.done}
        </button>
      </div>
    </Sheet>
  );
}
