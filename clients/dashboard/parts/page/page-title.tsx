import { type ReactNode, createContext, use, useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { mode } from "../../book.ts";
import { shellTexts } from "../../texts/shell.ts";

/** The element of the header that takes the title of the screen. */
export const TitleSlot = createContext<HTMLElement | null>(null);

/** Puts a screen's title into the header, and into the browser's tab. `crumb` is a link to the screen above. */
export function PageTitle({ text, crumb }: { text: string; crumb?: ReactNode }) {
  const slot = use(TitleSlot);
  useEffect(() => {
    const book = mode === "Test" ? ` (${shellTexts.test.word})` : "";
    document.title = `${text} · ${shellTexts.product}${book}`;
  }, [text]);
  if (slot === null) return null;
  return createPortal(
    <h1>
      {crumb}
      {text}
    </h1>,
    slot,
  );
}

/** The slot as state, so that titles appear once the header is drawn. */
export function useTitleSlot() {
  return useState<HTMLElement | null>(null);
}
