import { Link } from "@tanstack/react-router";
import type { ApprovalPolicyPreview, PolicyPreviewOrder } from "../../../typescript/types.gen.ts";
import { Chip } from "../../parts/values/chip.tsx";
import { money } from "../../parts/values/money.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { orderTexts } from "../../texts/orders.ts";
import { policyTexts } from "../../texts/policy.ts";

const { preview: words } = policyTexts;

/** What a policy changes, and which waiting orders it touches, before it is sent. */
export function Preview({ preview }: { preview: ApprovalPolicyPreview }) {
  const { outcome, changes, needMore, expireAtOnce, examined, isComplete } = preview;
  const isUntouched = needMore.count === 0 && expireAtOnce.count === 0;
  return (
    <div className="policy-preview" aria-live="polite">
      <p className={outcome === "Proposed" ? "banner warn" : "banner ok"}>{words[outcome]}</p>
      <ul className="policy-changes">
        {changes.map(({ field, loosens, tightens, before, after }) => (
          <li key={field}>
            <b>{after}</b> {loosens && <Chip tone="warn">{words.looser}</Chip>}{" "}
            {tightens && <Chip tone="ok">{words.stricter}</Chip>}
            <small>
              {words.before} {before}
            </small>
          </li>
        ))}
      </ul>
      {needMore.count > 0 && <Touched title={words.needMore(needMore.count)} orders={needMore.data} />}
      {expireAtOnce.count > 0 && (
        <Touched title={words.expire(expireAtOnce.count)} orders={expireAtOnce.data} />
      )}
      <p className="dim">{isUntouched ? words.untouched : words.never}</p>
      {!isComplete && <p className="dim">{words.examined(examined)}</p>}
    </div>
  );
}

function Touched({ title, orders }: { title: string; orders: readonly PolicyPreviewOrder[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <ul className="touched">
        {orders.map(({ id, counterpartyName, rail, amountCents, missing }) => (
          <li key={id}>
            <Link to="/orders/$id" params={{ id }}>
              {visible(counterpartyName ?? orderTexts.ownAccount)}
            </Link>
            <span className="dim">
              {orderTexts.rails[rail]} · {words.missing(missing.after)}
            </span>
            <span className="num strong">{money(amountCents)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
