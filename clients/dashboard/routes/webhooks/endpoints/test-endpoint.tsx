import { Link } from "@tanstack/react-router";
import { Send } from "lucide-react";
import type { WebhookEndpoint } from "../../../../typescript/types.gen.ts";
import { useTestEndpoint } from "../../../api/developers/endpoints.ts";
import { useAwaySince } from "../../../api/client/live.ts";
import { hasRested, useDelivery } from "../../../api/developers/webhooks.ts";
import { Card } from "../../../parts/page/card.tsx";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { FailureNote } from "../../../parts/page/failure.tsx";
import { webhookTexts } from "../../../texts/webhooks.ts";
import { resultInWords } from "../deliveries/attempts.tsx";
import { DeliveryStatus } from "../deliveries/delivery-status.tsx";

const { test: words } = webhookTexts;

/** Sends one signed test event, and shows what the receiver answers. */
export function TestEndpoint({ endpoint: { id, status } }: { endpoint: WebhookEndpoint }) {
  const test = useTestEndpoint(id);
  const isAway = useAwaySince() !== null;
  const cannotSend = test.isPending || isAway || status === "Disabled";
  return (
    <Card title={words.title}>
      <div className="simulator">
        <p className="dim">{words.text}</p>
        <div className="actions">
          <button type="button" className="primary" disabled={cannotSend} onClick={() => test.mutate({})}>
            <Send aria-hidden />
            {words.submit}
          </button>
          <button type="button" disabled={cannotSend} onClick={() => test.mutate({ secret: "Newest" })}>
            {words.newest}
          </button>
          <CopyCurl request={{ method: "POST", path: `/v1/webhook-endpoints/${id}/test`, body: {} }} />
        </div>
        {test.isError && <FailureNote error={test.error} />}
        <div aria-live="polite">{test.data !== undefined && <Answer id={test.data.id} />}</div>
      </div>
    </Card>
  );
}

function Answer({ id }: { id: string }) {
  const { data } = useDelivery(id);
  if (data === undefined || !hasRested(data)) return <p className="dim">{words.asking}</p>;
  const last = data.attempts.at(-1);
  return (
    <p>
      <DeliveryStatus status={data.status} /> {last !== undefined && resultInWords(last)}{" "}
      <Link to="/webhooks/$id" params={{ id }}>
        {words.open}
      </Link>
    </p>
  );
}
