import { Check, Terminal } from "lucide-react";
import { useState } from "react";
import { partTexts } from "../../texts/parts.ts";
import { type CurlRequest, curlOf } from "./curl.ts";

/** Copies what a button of this page does as a curl command. */
export function CopyCurl({ request, text = partTexts.copyCurl }: { request: CurlRequest; text?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(curlOf(request, location.origin));
    setCopied(true);
  };
  return (
    <button type="button" onClick={() => void copy()} onBlur={() => setCopied(false)}>
      {isCopied ? <Check aria-hidden /> : <Terminal aria-hidden />}
      <span aria-live="polite">{isCopied ? partTexts.copied : text}</span>
    </button>
  );
}
