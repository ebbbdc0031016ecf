import { Check, Clock, FileText, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import { refusalOfOrder, useCounterparty, useWasPaidBefore } from "../../api/approvals.ts";
import type { Me } from "../../api/me.ts";
import { Card, Details } from "../../parts/card.tsx";
import { bankingDayInWords, Moment } from "../../parts/moment.tsx";
import { visible } from "../../parts/visible-text.ts";
import { texts } from "../../texts/texts.ts";

const { people, look, when } = texts.approvals;

/** Who made it, who has approved it, and whose approval is missing. */
export function People({ order, me }: { order: PaymentOrder; me: Me }) {
  const { approvals, required, received, makers } = order.approval;
  const isMine = refusalOfOrder(order, me) === undefined;
  return (
    <Card title={people.title}>
      <ol className="signatures">
        {makers.map((maker) => (
          <Signature key={maker} mark={<FileText aria-hidden />} name={visible(maker)}>
            {people.made} · <Moment at={order.createdAt} as="time" />
          </Signature>
        ))}
        {approvals.map(({ principal, at }) => (
          <Signature key={principal} mark={<Check aria-hidden />} name={visible(principal)}>
            {people.approved} · <Moment at={at} as="time" />
          </Signature>
        ))}
        {received < required && (
          <Signature
            isNext
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

interface SignatureProps {
  readonly mark: ReactNode;
  readonly name: string;
  readonly isNext?: boolean;
  readonly children: ReactNode;
}

function Signature({ mark, name, isNext = false, children }: SignatureProps) {
  return (
    <li className={isNext ? "next" : ""}>
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
  const { data: counterparty } = useCounterparty(order.counterpartyId);
  const { data: wasPaid } = useWasPaidBefore(order.direction === "Credit" ? order.counterpartyId : null);
  const { makers, orderHash } = order.approval;
  const isMine = makers.includes(me.principal);
  const isVerified = counterparty?.verificationStatus === "Verified";
  return (
    <Card title={look.title}>
      <ul className="checks">
        <Sign isGood={!isMine}>{isMine ? look.yours : look.notYours}</Sign>
        {order.counterpartyId === null && order.rail !== "Book" && <Sign isGood={false}>{look.typed}</Sign>}
        {counterparty !== undefined && (
          <Sign isGood={isVerified}>{isVerified ? look.verified : look.unverified}</Sign>
        )}
        {wasPaid !== undefined && <Sign isGood={wasPaid}>{wasPaid ? look.again : look.first}</Sign>}
        {orderHash !== null && (
          <Sign isGood>
            {look.hash} <span className="mono">{grouped(orderHash)}</span>
          </Sign>
        )}
      </ul>
    </Card>
  );
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
  const isFinal = rail === "Wire" || rail === "Rtp" || rail === "Usdc";
  return (
    <Card title={when.title} aside={<Clock aria-hidden />}>
      <Details
        rows={[
          [
            when.handOff,
            opensAt === null ? (
              when.atOnce
            ) : (
              <>
                {when.opens}, <Moment key="opens" at={opensAt} />
              </>
            ),
          ],
          [when.notBefore, effectiveDate === null ? null : bankingDayInWords(effectiveDate)],
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
