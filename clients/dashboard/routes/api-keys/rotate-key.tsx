import { useState } from "react";
import type { useRotateApiKey } from "../../api/developers/api-keys.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { ChoiceField } from "../../parts/form/field.tsx";
import { ConfirmFailure } from "../../shell/confirm-failure.tsx";
import { apiKeyTexts } from "../../texts/api-keys.ts";

const { rotate: words, form } = apiKeyTexts;
const overlaps = [
  ["0", words.hours[0]],
  ["1", words.hours[1]],
  ["24", words.hours[24]],
  ["72", words.hours[72]],
  ["168", words.hours[168]],
] as const;

interface RotateKeyProps {
  readonly id: string;
  readonly rotate: ReturnType<typeof useRotateApiKey>;
  readonly back: () => void;
}

export function RotateKey({ id, rotate, back }: RotateKeyProps) {
  const isAway = useAwaySince() !== null;
  const [overlap, setOverlap] = useState<(typeof overlaps)[number][0]>("24");
  const body = { overlapHours: Number(overlap) };
  const send = () => rotate.mutate(body);
  return (
    <>
      <p className="dim">{words.text}</p>
      <ChoiceField label={words.overlap} options={overlaps} value={overlap} change={setOverlap} />
      <ConfirmFailure error={rotate.error} retry={send} />
      <div className="actions">
        <button type="button" className="primary" disabled={rotate.isPending || isAway} onClick={send}>
          {rotate.isPending ? form.asking : words.submit}
        </button>
        <button type="button" disabled={rotate.isPending} onClick={back}>
          {words.back}
        </button>
        <CopyCurl request={{ method: "POST", path: `/v1/api-keys/${id}/rotate`, body }} />
      </div>
    </>
  );
}
