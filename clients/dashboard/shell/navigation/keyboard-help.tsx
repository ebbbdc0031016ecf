import { Dialog } from "@base-ui/react/dialog";
import { useState } from "react";
import { Details } from "../../parts/page/card.tsx";
import { shellTexts } from "../../texts/shell.ts";
import { useShortcuts } from "./shortcut.ts";

const { keyboard: words } = shellTexts;

function keys(...names: readonly string[]) {
  return (
    <>
      {names.map((name) => (
        <kbd key={name}>{name}</kbd>
      ))}
    </>
  );
}

/** `?` shows every key that does something. */
export function KeyboardHelp() {
  const [isOpen, setOpen] = useState(false);
  useShortcuts({ "?": () => setOpen(true) });
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="sheet">
          <Dialog.Title>{words.title}</Dialog.Title>
          <h3>{words.everywhere}</h3>
          <Details
            rows={[
              [words.search, keys("/", "Ctrl K")],
              [words.help, keys("?")],
            ]}
          />
          <h3>{words.approvals}</h3>
          <Details
            rows={[
              [words.next, keys("J")],
              [words.previous, keys("K")],
              [words.select, keys("X")],
              [words.approve, keys("A")],
              [words.deny, keys("D")],
              [words.open, keys("O")],
            ]}
          />
          <Dialog.Close>{words.close}</Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
