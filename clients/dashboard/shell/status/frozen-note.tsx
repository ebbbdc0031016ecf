import { useProof } from "../../api/books/proof.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { shellTexts } from "../../texts/shell.ts";

const { frozen: words } = shellTexts;

/** Says of a frozen book what is closed, what goes on, and who opens it again. */
export function FrozenNote() {
  const { data } = useProof();
  return (
    <div aria-live="polite">
      {data?.status === "Frozen" && (
        <div className="notice bad">
          <div>
            <b>{words.title}</b>{" "}
            {data.frozenAt !== null && (
              <>
                {words.since} <Moment at={data.frozenAt} />.{" "}
              </>
            )}
            {words.closed}
            <small>{words.operator}</small>
          </div>
        </div>
      )}
    </div>
  );
}
