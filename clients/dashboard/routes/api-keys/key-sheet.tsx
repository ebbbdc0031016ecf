import { useState } from "react";
import type { ApiKey, ApiKeyCreated } from "../../../typescript/types.gen.ts";
import { useRotateApiKey } from "../../api/developers/api-keys.ts";
import { Details } from "../../parts/page/card.tsx";
import { Moment } from "../../parts/values/moment.tsx";
import { Sheet } from "../../parts/page/sheet.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { apiKeyTexts as words } from "../../texts/api-keys.ts";
import { KeySecret } from "./key-secret.tsx";
import { KeyStatus, LastUsed, shortOf } from "./key-table.tsx";
import { RevokeKey } from "./revoke-key.tsx";
import { RotateKey } from "./rotate-key.tsx";

const { details } = words;

interface KeySheetProps {
  readonly apiKey: ApiKey;
  readonly close: () => void;
}

/** One key: what it may do, who made and approved it, and how it ends. */
export function KeySheet({ apiKey, close }: KeySheetProps) {
  const [step, setStep] = useState<"details" | "rotate" | "revoke">("details");
  const [created, setCreated] = useState<ApiKeyCreated>();
  const rotate = useRotateApiKey(apiKey.id, setCreated);
  const name = visible(apiKey.name);
  const back = () => setStep("details");
  if (created !== undefined) return <KeySecret created={created} close={close} />;
  const titles = { details: name, rotate: words.rotate.title(name), revoke: words.revoke.title(name) };
  return (
    <Sheet title={titles[step]} close={close} isAsking={rotate.isPending}>
      {step === "rotate" && <RotateKey id={apiKey.id} rotate={rotate} back={back} />}
      {step === "revoke" && <RevokeKey id={apiKey.id} close={close} back={back} />}
      {step === "details" && (
        <>
          <KeyDetails apiKey={apiKey} />
          <div className="actions">
            {apiKey.status === "Active" && apiKey.replacedBy === null && (
              <button type="button" onClick={() => setStep("rotate")}>
                {words.rotate.open}
              </button>
            )}
            {(apiKey.status === "Active" || apiKey.status === "Pending") && (
              <button type="button" className="bad" onClick={() => setStep("revoke")}>
                {words.revoke.open}
              </button>
            )}
            <button type="button" className="push" onClick={close}>
              {details.close}
            </button>
          </div>
        </>
      )}
    </Sheet>
  );
}

function KeyDetails({ apiKey }: { apiKey: ApiKey }) {
  const { approvedBy, revokedAt, revokedBy, expiresAt } = apiKey;
  return (
    <Details
      rows={[
        [words.columns.status, <KeyStatus key="status" apiKey={apiKey} />],
        [words.columns.principal, visible(apiKey.principal)],
        [
          details.key,
          <span key="key" className="mono">
            {shortOf(apiKey)}
          </span>,
        ],
        [details.scopes, apiKey.scopes.map((scope) => words.scopes[scope]).join(", ")],
        [
          details.addresses,
          apiKey.ipAllowlist.length === 0 ? details.anywhere : apiKey.ipAllowlist.join(", "),
        ],
        [details.lastUsed, <LastUsed key="used" apiKey={apiKey} />],
        [details.ends, expiresAt === null ? words.never : <Moment at={expiresAt} />],
        [
          details.made,
          <span key="made">
            <Moment at={apiKey.createdAt} /> {details.by(visible(apiKey.createdBy))}
          </span>,
        ],
        [details.approved, approvedBy === null ? null : details.by(visible(approvedBy))],
        [
          details.revoked,
          revokedAt === null ? null : (
            <span>
              <Moment at={revokedAt} /> {details.by(visible(revokedBy ?? ""))}
            </span>
          ),
        ],
        [
          details.replacedBy,
          apiKey.replacedBy === null ? null : <span className="mono">{apiKey.replacedBy}</span>,
        ],
        [
          details.id,
          <span key="id" className="mono">
            {apiKey.id}
          </span>,
        ],
      ]}
    />
  );
}
