import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode, RefObject } from "react";

interface SheetProps {
  readonly title: string;
  /** Called for Escape and a click beside the sheet. Without it, only a button of the sheet closes it. */
  readonly close?: () => void;
  /** While a request is under way neither closes it: its answer, and a secret that is shown once, would be lost. */
  readonly isAsking?: boolean;
  /** What has the focus when the sheet has closed. Without it, or while it is empty, what had the focus before. */
  readonly focusAfter?: RefObject<HTMLElement | null>;
  readonly children: ReactNode;
}

/** A dialog over the screen. */
export function Sheet({ title, close, isAsking = false, focusAfter, children }: SheetProps) {
  return (
    <Dialog.Root open onOpenChange={() => !isAsking && close?.()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="sheet" finalFocus={focusAfter ?? true}>
          <Dialog.Title>{title}</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
