import { Secret } from "../../../parts/copy/secret.tsx";
import { Sheet } from "../../../parts/page/sheet.tsx";
import { webhookTexts } from "../../../texts/webhooks.ts";

const { secret: words } = webhookTexts;

/** A new signing secret, in clear. Neither Escape nor a click beside it loses it. */
export function SecretSheet({ secret, close }: { secret: string; close: () => void }) {
  // A repeated request is answered with the masked secret.
  const isLost = secret.includes("…");
  return (
    <Sheet title={words.title}>
      <p>{isLost ? words.lost : words.once}</p>
      <Secret label={words.label} text={secret} />
      <div className="actions">
        <button type="button" className="primary" onClick={close}>
          {words.kept}
        </button>
      </div>
    </Sheet>
  );
}
