import type { Counterparty } from "../../../../typescript/types.gen.ts";
import { Copyable } from "../../../parts/copy/copyable.tsx";
import { Card, Details } from "../../../parts/page/card.tsx";
import { Moment } from "../../../parts/values/moment.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { counterpartyTexts } from "../../../texts/counterparties.ts";

const { details: words, types, copied } = counterpartyTexts;

export function CounterpartyDetails({ counterparty }: { counterparty: Counterparty }) {
  const { email, externalId, detailsEnteredBy, verifiedBy, createdAt, createdBy, metadata } = counterparty;
  const pairs = Object.entries(metadata).map(([key, value]) => `${visible(key)}: ${visible(value)}`);
  return (
    <Card title={words.title}>
      <Details
        rows={[
          [words.type, types[counterparty.type]],
          [words.email, email === null ? null : visible(email)],
          [
            words.externalId,
            externalId === null ? null : <Copyable label={copied.externalId} text={externalId} />,
          ],
          [words.enteredBy, detailsEnteredBy.map(visible).join(", ")],
          [words.verifiedBy, verifiedBy === null ? null : visible(verifiedBy)],
          [words.metadata, pairs.length === 0 ? null : <span className="lines">{pairs.join("\n")}</span>],
          [
            words.created,
            <span key="created">
              <Moment at={createdAt} /> {words.by(visible(createdBy))}
            </span>,
          ],
          [words.updated, <Moment key="updated" at={counterparty.updatedAt} />],
          [words.version, String(counterparty.version)],
        ]}
      />
    </Card>
  );
}
