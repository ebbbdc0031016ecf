import type { OrderDirection, PaymentOrderPreview } from "../../../typescript/types.gen.ts";
import { Card, Details } from "../../parts/page/card.tsx";
import { isDay } from "../../parts/form/day.ts";
import { FailureNote } from "../../parts/page/failure.tsx";
import { bankingDayInWords, Moment } from "../../parts/values/moment.tsx";
import { money } from "../../parts/values/money.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { newOrderTexts } from "../../texts/new-order.ts";

const { preview: words } = newOrderTexts;
const { effect } = approvalTexts;

interface PreviewProps {
  readonly direction: OrderDirection;
  /** As typed; empty for none. */
  readonly effectiveDate: string;
  readonly preview: PaymentOrderPreview | undefined;
  readonly error: unknown;
  readonly isAsking: boolean;
}

export function Preview({ preview, error, isAsking, ...order }: PreviewProps) {
  return (
    <Card title={words.title} aside={isAsking ? words.asking : words.aside}>
      <div aria-live="polite">
        {error !== null && (
          <div className="form">
            <FailureNote error={error} />
          </div>
        )}
        {error === null && preview === undefined && <p className="note first">{words.incomplete}</p>}
        {error === null && preview !== undefined && <Outcome {...order} preview={preview} />}
      </div>
    </Card>
  );
}

interface OutcomeProps extends Pick<PreviewProps, "direction" | "effectiveDate"> {
  readonly preview: PaymentOrderPreview;
}

function Outcome({ direction, effectiveDate, preview }: OutcomeProps) {
  const { approvalsRequired, cutoff, expectedSettlementDate, dailyLimit } = preview;
  const opensAt = cutoff?.nextWindowOpensAt ?? null;
  const leaves = isDay(effectiveDate) ? words.from(bankingDayInWords(effectiveDate)) : words.atOnce;
  return (
    <>
      <Details
        rows={[
          [words.approvals, words.approvalsNeeded(approvalsRequired)],
          [words.handOff, opensAt === null ? leaves : <Moment key="opens" at={opensAt} />],
          [words.settles, expectedSettlementDate === null ? null : bankingDayInWords(expectedSettlementDate)],
          [
            words.limit,
            dailyLimit === null
              ? null
              : words.limitUsed(money(dailyLimit.usedCents), money(dailyLimit.limitCents)),
          ],
        ]}
      />
      <Balances direction={direction} balances={preview.balances} />
      {preview.balances.settled.availableBalanceCents < 0 && <p className="note">{effect.overdraft}</p>}
    </>
  );
}

function Balances({
  direction,
  balances,
}: {
  direction: OrderDirection;
  balances: PaymentOrderPreview["balances"];
}) {
  const columns =
    direction === "Credit" ? (["now", "held", "settled"] as const) : (["now", "settled"] as const);
  const rows = [
    [effect.posted, "postedBalanceCents"],
    [effect.held, "pendingBalanceCents"],
    [effect.available, "availableBalanceCents"],
  ] as const;
  return (
    <table className="tight stacked">
      <thead>
        <tr>
          <th scope="col">
            <span className="hidden-visually">{words.balance}</span>
          </th>
          {columns.map((column) => (
            <th scope="col" className="right" key={column}>
              {words.columns[column]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, field]) => (
          <tr key={field}>
            <th scope="row">{name}</th>
            {columns.map((column) => (
              <td className="right num" key={column} data-label={words.columns[column]}>
                {money(balances[column][field])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
