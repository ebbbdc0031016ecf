import { Check, Clock, FileText, TriangleAlert, X } from "lucide-react";
import type { ReactNode } from "react";
import type {
  ApprovalNotCountedReason,
  Counterparty,
  PaymentOrder,
  Rail,
} from "../../../typescript/types.gen.ts";
import { refusalOfOrder, useLastPaidAt } from "../../api/approvals/approvals.ts";
import { useCounterparty } from "../../api/orders/counterparties.ts";
import type { Me } from "../../api/people/me.ts";
import { Card, Details } from "../../parts/page/card.tsx";
import { bankingDayInWords, Moment } from "../../parts/values/moment.tsx";
import { visible } from "../../parts/values/visible-text.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { orderTexts } from "../../texts/orders.ts";

const { people, look, what, when } = approvalTexts;

/** What the maker says that the order is for. No card if they say nothing. */
export function WhatFor({ order: { purpose, description, externalId } }: { order: PaymentOrder }) {
  const terms = [
    [what.purpose, purpose],
    [what.description, description],
    [what.reference, externalId],
  ] as const;
  const rows = terms.flatMap(([term, text]) => (text === null ? [] : [[term, visible(text)] as const]));
  if (rows.length === 0) return null;
  return (
    <Card title={what.title}>
      <Details rows={rows} />
    </Card>
  );
}

/** Who made it, who has approved or denied it, whose approval does not count and why, and whose is missing. */
export function People({ order, me }: { order: PaymentOrder; me: Me }) {
  const { approvals, required, received, makers, decision } = order.approval;
  const isMine = refusalOfOrder(order, me) === undefined;
  return (
    <Card title={people.title}>
      <ol className="signatures">
        {makers.map((maker) => (
          <Signature key={maker} mark={<FileText aria-hidden />} name={visible(maker)}>
            {people.made} · <Moment at={order.createdAt} />
          </Signature>
        ))}
        {approvals.map(({ principal, at, notCountedReason }) => (
          <Approval
            key={`${principal} ${at}`}
            principal={principal}
            at={at}
            notCountedReason={notCountedReason}
          />
        ))}
        {decision?.outcome === "Denied" && (
          <Signature mark={<X aria-hidden />} name={visible(decision.decidedBy ?? "")}>
            {people.denied} · <Moment at={decision.decidedAt} />
          </Signature>
        )}
        {order.awaiting === "Approval" && received < required && (
          <Signature
            kind="next"
            mark={String(received + 1)}
            name={isMine ? people.you(visible(me.principal)) : people.another}
          >
            {required - received === 1 ? people.last : people.oneOf}
          </Signature>
        )}
      </ol>
    </Card>
  );
}

interface ApprovalProps {
  readonly principal: string;
  readonly at: string;
  readonly notCountedReason: ApprovalNotCountedReason | null;
}

/** Who approved, and when. An approval that does not count is crossed out, with the reason. */
function Approval({ principal, at, notCountedReason }: ApprovalProps) {
  const name = visible(principal);
  if (notCountedReason === null) {
    return (
      <Signature mark={<Check aria-hidden />} name={name}>
        {people.approved} · <Moment at={at} />
      </Signature>
    );
  }
  return (
    <Signature mark={<X aria-hidden />} name={<s>{name}</s>} kind="not-counted">
      <s>
        {people.approved} · <Moment at={at} />
      </s>
      <br />
      {approvalTexts.notCounted[notCountedReason]}
    </Signature>
  );
}

interface SignatureProps {
  readonly mark: ReactNode;
  readonly name: ReactNode;
  readonly kind?: "next" | "not-counted";
  readonly children: ReactNode;
}

function Signature({ mark, name, kind, children }: SignatureProps) {
  return (
    <li className={kind}>
      <span className="mark">{mark}</span>
      <div>
        <b>{name}</b>
        <small>{children}</small>
      </div>
    </li>
  );
}

/** What an approver should see before deciding: good signs with a tick, others with a triangle. */
export function WorthALook({ order, me }: { order: PaymentOrder; me: Me }) {
  const { data: counterparty, isError: isUnknown } = useCounterparty(order.counterpartyId);
  const paid = useLastPaidAt(order);
  const { makers, orderHash } = order.approval;
  const isMine = makers.includes(me.principal);
  const waits = order.awaiting === "Approval";
  const isVerified = counterparty?.verificationStatus === "Verified";
  return (
    <Card title={look.title}>
      <ul className="checks">
        {waits && <Sign isGood={!isMine}>{isMine ? look.yours : look.notYours}</Sign>}
        {order.counterpartyId === null && order.rail !== "Book" && <Sign isGood={false}>{look.typed}</Sign>}
        {counterparty !== undefined && (
          <Sign isGood={isVerified}>{isVerified ? look.verified : look.unverified}</Sign>
        )}
        {counterparty !== undefined && wasChangedSince(counterparty, order.createdAt) && (
          <Sign isGood={false}>{look.changed}</Sign>
        )}
        {paid.data !== undefined && counterparty !== undefined && (
          <PaidBefore at={paid.data} counterparty={counterparty} rail={order.rail} />
        )}
        {(isUnknown || paid.isError) && <Sign isGood={false}>{look.unread}</Sign>}
        {orderHash !== null && (
          <Sign isGood>
            {waits ? look.hash.waits : look.hash.decided} <span className="mono">{grouped(orderHash)}</span>
          </Sign>
        )}
      </ul>
    </Card>
  );
}

/** A verification counts as a change: it is needed only after an edit, which resets the one before. */
function wasChangedSince({ updatedAt }: Counterparty, time: string): boolean {
  return Date.parse(updatedAt) > Date.parse(time);
}

interface PaidBeforeProps {
  readonly at: string | null;
  readonly counterparty: Counterparty;
  readonly rail: Rail;
}

/** A counterparty that was edited after its last payment may have another account than the one that was paid. */
function PaidBefore({ at, counterparty, rail }: PaidBeforeProps) {
  const by = orderTexts.rails[rail];
  if (at === null) return <Sign isGood={false}>{look.first(by)}</Sign>;
  const isAnother = wasChangedSince(counterparty, at);
  return <Sign isGood={!isAnother}>{isAnother ? look.changedSincePaid(by) : look.again(by)}</Sign>;
}

function Sign({ isGood, children }: { isGood: boolean; children: ReactNode }) {
  return (
    <li className={isGood ? "ok" : "warn"}>
      {isGood ? <Check aria-hidden /> : <TriangleAlert aria-hidden />}
      <div>{children}</div>
    </li>
  );
}

/** When it leaves once it is approved, and until when it can be stopped. */
export function When({ order }: { order: PaymentOrder }) {
  const { cutoff, effectiveDate, expectedSettlementDate, rail } = order;
  const opensAt = cutoff?.nextWindowOpensAt ?? null;
  const day = effectiveDate === null ? null : bankingDayInWords(effectiveDate);
  const isFinal = rail === "Wire" || rail === "Rtp" || rail === "Usdc";
  return (
    <Card title={when.title} aside={<Clock aria-hidden />}>
      <Details
        rows={[
          [
            when.handOff,
            opensAt !== null ? (
              <>
                {when.opens}, <Moment key="opens" at={opensAt} />
              </>
            ) : day !== null ? (
              when.from(day)
            ) : (
              when.atOnce
            ),
          ],
          [when.notBefore, opensAt === null ? null : day],
          [when.settles, expectedSettlementDate === null ? null : bankingDayInWords(expectedSettlementDate)],
          [when.stop, isFinal ? when.final : when.untilHandOff],
        ]}
      />
    </Card>
  );
}

/** The first twelve characters of a hash, in groups that people can compare. */
function grouped(hash: string): string {
  return hash
    .slice(0, 12)
    .replaceAll(/(.{4})/g, "$1 ")
    .trim();
}
