import { useState } from "react";
import { useRetireSecret, useRotateSecret } from "../../../api/developers/endpoints.ts";
import { useAwaySince } from "../../../api/client/live.ts";
import { Card } from "../../../parts/page/card.tsx";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { FailureNote } from "../../../parts/page/failure.tsx";
import { ChoiceField } from "../../../parts/form/field.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { ConfirmFailure } from "../../../shell/confirm-failure.tsx";
import { webhookTexts } from "../../../texts/webhooks.ts";
import { SecretSheet } from "./secret-sheet.tsx";

const { rotate: words } = webhookTexts;

const overlaps = ["48", "24", "1", "0"] as const;

/** Replaces the signing secret: for a while, every attempt carries a signature of the old and of the new one. */
export function SigningSecret({ endpointId }: { endpointId: string }) {
  const rotate = useRotateSecret(endpointId);
  const retire = useRetireSecret(endpointId);
  const isAway = useAwaySince() !== null;
  const [hours, setHours] = useState<(typeof overlaps)[number]>("48");
  const [secret, setSecret] = useState<string>();
  const rotateNow = () =>
    rotate.mutate(
      { overlapHours: Number(hours) },
      {
        onSuccess: ({ signingSecret }) => {
          retire.reset();
          setSecret(signingSecret);
        },
      },
    );
  const path = `/v1/webhook-endpoints/${endpointId}`;
  const active = retire.data?.activeSecrets ?? rotate.data?.activeSecrets ?? [];
  return (
    <Card title={words.title}>
      <div className="simulator">
        <p>{words.gone}</p>
        <p className="dim">{words.text}</p>
        <ChoiceField
          label={words.overlap}
          options={overlaps.map((one) => [one, words.hours[one]] as const)}
          value={hours}
          change={setHours}
        />
        <div className="actions">
          <button type="button" disabled={rotate.isPending || isAway} onClick={rotateNow}>
            {rotate.isPending ? words.asking : words.submit}
          </button>
          <button type="button" disabled={retire.isPending || isAway} onClick={() => retire.mutate({})}>
            {words.retire}
          </button>
          <CopyCurl
            request={{ method: "POST", path: `${path}/rotate-secret`, body: { overlapHours: Number(hours) } }}
          />
        </div>
        <ConfirmFailure error={rotate.error} retry={rotateNow} />
        {retire.isError && <FailureNote error={retire.error} />}
        <ul className="dim" aria-live="polite">
          {active.map(({ createdAt, retiresAt }) => (
            <li key={createdAt}>
              {words.of} <Moment at={createdAt} />:{" "}
              {retiresAt === null ? (
                words.signs
              ) : (
                <>
                  {words.until} <Moment at={retiresAt} />
                </>
              )}
            </li>
          ))}
        </ul>
      </div>
      {secret !== undefined && <SecretSheet secret={secret} close={() => setSecret(undefined)} />}
    </Card>
  );
}
