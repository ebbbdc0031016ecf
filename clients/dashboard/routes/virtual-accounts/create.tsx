import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAwaySince } from "../../api/client/live.ts";
import { faultsOf } from "../../api/client/problem.ts";
import { useCreateVirtualAccount } from "../../api/books/virtual-accounts.ts";
import { AccountNames } from "../../parts/form/account-names.tsx";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { FailureNote } from "../../parts/page/failure.tsx";
import { CounterpartyChoice } from "../../parts/form/counterparty-choice.tsx";
import { TextField } from "../../parts/form/field.tsx";
import { Sheet } from "../../parts/page/sheet.tsx";
import { virtualAccountTexts } from "../../texts/virtual-accounts.ts";
import { DescriptionField } from "./description-field.tsx";
import { type Draft, virtualAccountOf } from "./draft.ts";

const { form: words } = virtualAccountTexts;

interface CreateProps {
  /** What the form begins with. */
  readonly ledgerAccountName: string;
  readonly close: () => void;
}

/** Makes a number and opens its page, where it can be copied. */
export function CreateVirtualAccount({ ledgerAccountName, close }: CreateProps) {
  const create = useCreateVirtualAccount();
  const navigate = useNavigate();
  const isAway = useAwaySince() !== null;
  const [draft, setDraft] = useState<Draft>({
    name: "",
    ledgerAccountName,
    counterpartyId: "",
    externalId: "",
    description: "",
  });
  const body = virtualAccountOf(draft);
  const send = () => {
    if (body === undefined) return;
    create.mutate(body, {
      onSuccess: ({ id }) => void navigate({ to: "/virtual-accounts/$id", params: { id } }),
    });
  };
  return (
    <Sheet title={words.title} close={close}>
      <form
        className="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Fields
          draft={draft}
          change={(part) => setDraft({ ...draft, ...part })}
          faultAt={faultsOf(create.error)}
        />
        {create.isError && <FailureNote error={create.error} />}
        <div className="actions">
          <button
            type="submit"
            className="primary"
            disabled={body === undefined || create.isPending || isAway}
          >
            {create.isPending ? words.asking : words.submit}
          </button>
          {body !== undefined && (
            <CopyCurl request={{ method: "POST", path: "/v1/virtual-accounts", body }} />
          )}
          <button type="button" onClick={close}>
            {words.cancel}
          </button>
        </div>
      </form>
    </Sheet>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  readonly faultAt: (pointer: string) => string | undefined;
}

function Fields({ draft, change, faultAt }: FieldsProps) {
  return (
    <>
      <TextField
        label={words.name}
        hint={words.nameHint}
        fault={faultAt("/name")}
        required
        maxLength={100}
        value={draft.name}
        change={(name) => change({ name })}
      />
      <TextField
        label={words.account}
        hint={words.accountHint}
        fault={faultAt("/ledgerAccountName")}
        list="payable-accounts"
        required
        maxLength={100}
        value={draft.ledgerAccountName}
        change={(ledgerAccountName) => change({ ledgerAccountName })}
      />
      <AccountNames id="payable-accounts" typed={draft.ledgerAccountName} />
      <CounterpartyChoice
        label={words.counterparty}
        hint={words.counterpartyHint}
        nobody={words.nobody}
        isHiddenIfEmpty
        value={draft.counterpartyId}
        fault={faultAt("/counterpartyId")}
        change={(counterpartyId) => change({ counterpartyId })}
      />
      <TextField
        label={words.externalId}
        hint={words.externalIdHint}
        fault={faultAt("/externalId")}
        maxLength={100}
        value={draft.externalId}
        change={(externalId) => change({ externalId })}
      />
      <DescriptionField
        fault={faultAt("/description")}
        value={draft.description}
        change={(description) => change({ description })}
      />
    </>
  );
}
