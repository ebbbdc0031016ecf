import { useNavigate } from "@tanstack/react-router";
import type { WebhookEndpoint } from "../../../../typescript/types.gen.ts";
import { useDeleteEndpoint } from "../../../api/developers/endpoints.ts";
import { useAwaySince } from "../../../api/client/live.ts";
import { CopyCurl } from "../../../parts/copy/copy-curl.tsx";
import { FailureNote } from "../../../parts/page/failure.tsx";
import { Sheet } from "../../../parts/page/sheet.tsx";
import { visible } from "../../../parts/values/visible-text.ts";
import { webhookTexts } from "../../../texts/webhooks.ts";

const { remove: words } = webhookTexts;

/** Says what is lost before it is deleted. */
export function DeleteEndpoint({
  endpoint: { id, url },
  close,
}: {
  endpoint: WebhookEndpoint;
  close: () => void;
}) {
  const remove = useDeleteEndpoint(id);
  const navigate = useNavigate();
  const isAway = useAwaySince() !== null;
  return (
    <Sheet title={words.title} close={close}>
      <p className="endpoint-url">{visible(url)}</p>
      <p>{words.text}</p>
      {remove.isError && <FailureNote error={remove.error} />}
      <div className="actions">
        <button
          type="button"
          className="bad"
          disabled={remove.isPending || isAway}
          onClick={() =>
            remove.mutate(url, { onSuccess: () => void navigate({ to: "/webhooks/endpoints" }) })
          }
        >
          {words.submit}
        </button>
        <button type="button" onClick={close}>
          {words.cancel}
        </button>
        <CopyCurl request={{ method: "DELETE", path: `/v1/webhook-endpoints/${id}` }} />
      </div>
    </Sheet>
  );
}
