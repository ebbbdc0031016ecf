import type { Obligation } from "../../../../typescript/types.gen.ts";
import { useAwaySince } from "../../../api/client/live.ts";
import type { useFixObligation } from "../../../api/books/obligations.ts";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { money } from "../../../parts/values/money.ts";
import { obligationTexts } from "../../../texts/obligations.ts";
import { sumOf } from "../amounts.ts";

const { fix: words } = obligationTexts;

interface FixProps {
  readonly obligation: Obligation;
  readonly fix: ReturnType<typeof useFixObligation>;
}

/** Books the lines as a liability. */
export function Fix({ obligation: { id, lines, version }, fix }: FixProps) {
  const isAway = useAwaySince() !== null;
  return (
    <>
      <CopyCurl request={{ method: "POST", path: `/v1/obligations/${id}/fix`, body: {} }} text={words.curl} />
      <button
        type="button"
        className="primary"
        disabled={fix.isPending || isAway}
        onClick={() => fix.mutate({ version })}
      >
        {fix.isPending ? words.asking : words.submit(money(sumOf(lines)))}
      </button>
    </>
  );
}
