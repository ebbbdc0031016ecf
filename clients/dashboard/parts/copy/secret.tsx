import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { partTexts } from "../../texts/parts.ts";

/** A text that is shown once, with a button that copies it. */
export function Secret({ label, text }: { label: string; text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div className="secret">
      <output className="mono" aria-label={label}>
        {text}
      </output>
      <button type="button" onClick={() => void copy()}>
        {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
        <span aria-live="polite">{isCopied ? partTexts.copied : partTexts.copy}</span>
      </button>
    </div>
  );
}
