import type { Obligation } from "../../../typescript/types.gen.ts";
import { useAwaySince } from "../../api/live.ts";
import type { useFixObligation } from "../../api/obligations.ts";
import { CopyCurl } from "../../parts/copy-curl.tsx";
import { money } from "../../parts/money.ts";
import { texts } from "../../texts/texts.ts";
import { sumOf } from "./amounts.ts";

const { fix: words } = texts.obligations;

interface FixProps {
  readonly obligation: Obligation;
  readonly fix: ReturnType<typeof useFixObligation>;
}

/** Books the lines as a liability. */
export function Fix({ obligation: { id, lines }, fix }: FixProps) {
  const isAway = useAwaySince() !== null;
  return (
    <>
      <CopyCurl request={{ method: "POST", path: `/v1/obligations/${id}/fix`, body: {} }} text={words.curl} />
      <button
        type="button"
        className="primary"
        disabled={fix.isPending || isAway}
        onClick={() => fix.mutate(lines)}
      >
        {fix.isPending ? words.asking : words.submit(money(sumOf(lines)))}
      </button>
    </>
  );
}
