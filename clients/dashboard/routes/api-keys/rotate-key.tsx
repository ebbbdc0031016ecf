import { useState } from "react";
import type { ApiKeyCreated } from "../../../typescript/types.gen.ts";
import { useRotateApiKey } from "../../api/api-keys.ts";
import { useAwaySince } from "../../api/live.ts";
import { ChoiceField } from "../../parts/field.tsx";
import { ConfirmFailure } from "../../shell/confirm-failure.tsx";
import { texts } from "../../texts/texts.ts";

const { rotate: words, form } = texts.apiKeys;
const overlaps = [
  ["0", words.hours[0]],
  ["1", words.hours[1]],
  ["24", words.hours[24]],
  ["72", words.hours[72]],
  ["168", words.hours[168]],
] as const;

interface RotateKeyProps {
  readonly id: string;
  readonly created: (created: ApiKeyCreated) => void;
  readonly back: () => void;
}

export function RotateKey({ id, created, back }: RotateKeyProps) {
  const isAway = useAwaySince() !== null;
  const [overlap, setOverlap] = useState<(typeof overlaps)[number][0]>("24");
  const rotate = useRotateApiKey(id, created);
  const send = () => rotate.mutate({ overlapHours: Number(overlap) });
  return (
    <>
      <p className="dim">{words.text}</p>
      <ChoiceField label={words.overlap} options={overlaps} value={overlap} change={setOverlap} />
      <ConfirmFailure error={rotate.error} retry={send} />
      <div className="actions">
        <button type="button" className="primary" disabled={rotate.isPending || isAway} onClick={send}>
          {rotate.isPending ? form.asking : words.submit}
        </button>
        <button type="button" onClick={back}>
          {words.back}
        </button>
      </div>
    </>
  );
}
