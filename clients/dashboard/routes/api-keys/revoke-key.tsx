import { useState } from "react";
import type { ApiKeyRevoked } from "../../../typescript/types.gen.ts";
import { useRevokeApiKey } from "../../api/developers/api-keys.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { ConfirmFailure } from "../../shell/confirm-failure.tsx";
import { apiKeyTexts } from "../../texts/api-keys.ts";
import { shortOf } from "./key-table.tsx";

const { revoke: words, form, rotate, details } = apiKeyTexts;

interface RevokeKeyProps {
  readonly id: string;
  readonly close: () => void;
  readonly back: () => void;
}

export function RevokeKey({ id, close, back }: RevokeKeyProps) {
  const isAway = useAwaySince() !== null;
  const [withDescendants, setWithDescendants] = useState(false);
  const [revoked, setRevoked] = useState<ApiKeyRevoked>();
  const revoke = useRevokeApiKey(id, setRevoked);
  const body = { includeDescendants: withDescendants };
  const send = () => revoke.mutate(body);
  if (revoked !== undefined) {
    return <Done descendants={revoked.descendants} haveEnded={withDescendants} close={close} />;
  }
  return (
    <>
      <p className="dim">{words.text}</p>
      <div className="choices">
        <label>
          <input
            type="checkbox"
            className="tick"
            checked={withDescendants}
            onChange={() => setWithDescendants(!withDescendants)}
          />
          {words.descendants}
        </label>
      </div>
      <ConfirmFailure error={revoke.error} retry={send} />
      <div className="actions">
        <button type="button" className="bad" disabled={revoke.isPending || isAway} onClick={send}>
          {revoke.isPending ? form.asking : words.submit}
        </button>
        <button type="button" onClick={back}>
          {rotate.back}
        </button>
        <CopyCurl request={{ method: "POST", path: `/v1/api-keys/${id}/revoke`, body }} />
      </div>
    </>
  );
}

interface DoneProps {
  readonly descendants: ApiKeyRevoked["descendants"];
  readonly haveEnded: boolean;
  readonly close: () => void;
}

function Done({ descendants, haveEnded, close }: DoneProps) {
  return (
    <>
      <output>
        <p className="banner ok">{words.done}</p>
      </output>
      {descendants.length > 0 && (
        <>
          <p>{haveEnded ? words.ended : words.left}</p>
          <ul>
            {descendants.map((key) => (
              <li key={key.id}>
                <b>{visible(key.name)}</b> <span className="mono">{shortOf(key)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <div className="actions">
        <button type="button" onClick={close}>
          {details.close}
        </button>
      </div>
    </>
  );
}
