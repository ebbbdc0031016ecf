import type { ApiKeyCreated } from "../../../typescript/types.gen.ts";
import { Secret } from "../../parts/copy/secret.tsx";
import { Sheet } from "../../parts/page/sheet.tsx";
import { apiKeyTexts } from "../../texts/api-keys.ts";

const { secret: words } = apiKeyTexts;

/** A new key, in clear. Neither Escape nor a click beside it loses it. */
export function KeySecret({
  created: { key, status },
  close,
}: {
  created: ApiKeyCreated;
  close: () => void;
}) {
  // A repeated request is answered with the masked key.
  const isLost = key.includes("…");
  return (
    <Sheet title={words.title}>
      <p>{isLost ? words.lost : words.once}</p>
      <Secret label={words.label} text={key} />
      {status === "Pending" && <p className="banner warn">{words.pending}</p>}
      <div className="actions">
        <button type="button" className="primary" onClick={close}>
          {words.kept}
        </button>
      </div>
    </Sheet>
  );
}
