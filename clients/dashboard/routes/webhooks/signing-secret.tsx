import { useState } from "react";
import { useRetireSecret, useRotateSecret } from "../../api/endpoints.ts";
import { useAwaySince } from "../../api/live.ts";
import { Card } from "../../parts/card.tsx";
import { FailureNote } from "../../parts/failure.tsx";
import { ChoiceField } from "../../parts/field.tsx";
import { Moment } from "../../parts/moment.tsx";
import { texts } from "../../texts/texts.ts";
import { SecretSheet } from "./secret-sheet.tsx";

const { rotate: words } = texts.webhooks;

const overlaps = ["48", "24", "1", "0"] as const;

/** Replaces the signing secret: for a while, every attempt carries a signature of the old and of the new one. */
export function SigningSecret({ endpointId }: { endpointId: string }) {
  const rotate = useRotateSecret(endpointId);
  const retire = useRetireSecret(endpointId);
  const isAway = useAwaySince() !== null;
  const [hours, setHours] = useState<(typeof overlaps)[number]>("48");
  const [secret, setSecret] = useState<string>();
  const active = retire.data?.activeSecrets ?? rotate.data?.activeSecrets ?? [];
  return (
    <Card title={words.title}>
      <div className="simulator">
        <p className="dim">{words.text}</p>
        <ChoiceField
          label={words.overlap}
          options={overlaps.map((one) => [one, words.hours[one]] as const)}
          value={hours}
          change={setHours}
        />
        <div className="actions">
          <button
            type="button"
            disabled={rotate.isPending || isAway}
            onClick={() =>
              rotate.mutate(Number(hours), {
                onSuccess: ({ signingSecret }) => {
                  retire.reset();
                  setSecret(signingSecret);
                },
              })
            }
          >
            {words.submit}
          </button>
          <button type="button" disabled={retire.isPending || isAway} onClick={() => retire.mutate({})}>
            {words.retire}
          </button>
        </div>
        {rotate.isError && <FailureNote error={rotate.error} />}
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
