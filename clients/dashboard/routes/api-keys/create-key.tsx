import { useState } from "react";
import type { ApiKeyCreated } from "../../../typescript/types.gen.ts";
import { useCreateApiKey } from "../../api/developers/api-keys.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { useMe } from "../../api/people/me.ts";
import { faultsOf } from "../../api/client/problem.ts";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { Sheet } from "../../parts/page/sheet.tsx";
import { ConfirmFailure } from "../../shell/confirm-failure.tsx";
import { apiKeyTexts } from "../../texts/api-keys.ts";
import { type KeyDraft, keyOf } from "./key-draft.ts";
import { KeyFields } from "./key-fields.tsx";
import { KeySecret } from "./key-secret.tsx";

const { form: words } = apiKeyTexts;
/** The confirmation can show a form of its own, so the buttons stand outside of this one. */
const formId = "create-key";

/** Makes a key. What it may do is chosen from what the person may do. */
export function CreateKey({ close }: { close: () => void }) {
  const me = useMe().data;
  const isAway = useAwaySince() !== null;
  const [openedAt] = useState(() => Date.now());
  const [created, setCreated] = useState<ApiKeyCreated>();
  const [draft, setDraft] = useState<KeyDraft>({
    name: "",
    principal: me?.principal ?? "",
    scopes: [],
    expiry: "d90",
    addresses: "",
  });
  const create = useCreateApiKey(setCreated);
  if (created !== undefined) return <KeySecret created={created} close={close} />;

  const body = keyOf(draft, openedAt);
  const send = () => create.mutate(body);
  const isWithoutScope = draft.scopes.length === 0;
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
        <KeyFields
          draft={draft}
          change={setDraft}
          among={me?.scopes ?? []}
          faultAt={faultsOf(create.error)}
        />
      </form>
      <p className="dim">{words.note}</p>
      <ConfirmFailure error={create.error} retry={send} />
      <div className="actions">
        <button
          type="submit"
          form={formId}
          className="primary"
          disabled={isWithoutScope || create.isPending || isAway}
        >
          {create.isPending ? words.asking : words.submit}
        </button>
        <button type="button" disabled={create.isPending} onClick={close}>
          {words.cancel}
        </button>
        {!isWithoutScope && <CopyCurl request={{ method: "POST", path: "/v1/api-keys", body }} />}
        {isWithoutScope && <small className="dim">{words.noScope}</small>}
      </div>
    </Sheet>
  );
}
