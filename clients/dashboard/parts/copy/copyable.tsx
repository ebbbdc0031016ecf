import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { partTexts } from "../../texts/parts.ts";
import { visible } from "../values/visible-text.ts";

/** A text that people take elsewhere, such as an id, with a button that copies it. `label` names the text. */
export function Copyable({ label, text }: { label: string; text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <span className="copyable">
      <span className="mono">{visible(text)}</span>
      <button type="button" className="quiet" onClick={() => void copy()} onBlur={() => setCopied(false)}>
        {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
        <span className="hidden-visually" aria-live="polite">
          {isCopied ? partTexts.copied : partTexts.copyThis(label)}
        </span>
      </button>
    </span>
  );
}
