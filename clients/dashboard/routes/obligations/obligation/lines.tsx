import type { Obligation } from "../../../../typescript/types.gen.ts";
import { problemOf } from "../../../api/client/problem.ts";
import { Card } from "../../../parts/page/card.tsx";
import { Chip } from "../../../parts/values/chip.tsx";
import { FailureNote } from "../../../parts/page/failure.tsx";
import { money } from "../../../parts/values/money.ts";
import { visible } from "../../../parts/values/visible-text.ts";
import { obligationTexts } from "../../../texts/obligations.ts";
import { sumOf } from "../amounts.ts";

const { lines: words, bases } = obligationTexts;

type Line = Obligation["lines"][number];

interface LinesProps {
  readonly lines: readonly Line[];
  /** Why they were not booked. One that names a line is shown there. */
  readonly refusal: Error | null;
}

export function Lines({ lines, refusal }: LinesProps) {
  const refusedIndex = refusal === null ? null : problemOf(refusal).lineIndex;
  return (
    <Card title={words.title}>
      {lines.length === 0 ? (
        <p className="dim">{words.none}</p>
      ) : (
        <LineTable lines={lines} refusedIndex={refusedIndex} refusal={refusal} />
      )}
    </Card>
  );
}

interface LineTableProps extends LinesProps {
  readonly refusedIndex: number | null;
}

function LineTable({ lines, refusal, refusedIndex }: LineTableProps) {
  return (
    <table className="list obligation-lines">
      <caption className="hidden-visually">{words.table}</caption>
      <thead>
        <tr>
          <th scope="col">{words.what}</th>
          <th scope="col" className="wide">
            {words.basis}
          </th>
          <th scope="col" className="right">
            {words.amount}
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line, index) => (
          // Lines have no ids, and are only ever replaced all at once.
          <LineRow key={index} line={line} refusal={index === refusedIndex ? refusal : null} />
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{words.total}</th>
          <td className="wide dim">{words.count(lines.length)}</td>
          <td className="right num strong">{money(sumOf(lines))}</td>
        </tr>
      </tfoot>
    </table>
  );
}

function LineRow({ line, refusal }: { line: Line; refusal: Error | null }) {
  const { description, amountCents, basis } = line;
  const chip = <Chip tone={basis.kind === "Actual" ? "plain" : "warn"}>{bases[basis.kind]}</Chip>;
  return (
    <>
      <tr className={refusal === null ? "" : "refused"}>
        <td className="name">
          <b>{visible(description)}</b>
          <small>{visible(basis.source)}</small>
          <span className="narrow">{chip}</span>
        </td>
        <td className="wide">{chip}</td>
        <td className="right num">{money(amountCents)}</td>
      </tr>
      {refusal !== null && (
        <tr ref={showWhole}>
          <td colSpan={3}>
            <FailureNote error={refusal} />
          </td>
        </tr>
      )}
    </>
  );
}

/** The line may be below what is shown. */
function showWhole(row: HTMLElement | null): void {
  row?.scrollIntoView({ block: "nearest" });
}
