import { useState } from "react";
import { Details } from "../../parts/page/card.tsx";
import { Sheet } from "../../parts/page/sheet.tsx";
import { shellTexts } from "../../texts/shell.ts";
import { areSingleKeysOn, switchSingleKeys, useShortcuts } from "./shortcut.ts";

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
  return isOpen && <KeyboardSheet close={() => setOpen(false)} />;
}

/** Every key that does something, and the switch of those that are pressed without another. */
export function KeyboardSheet({ close }: { close: () => void }) {
  return (
    <Sheet title={words.title} close={close}>
      <SingleKeys />
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
      <button type="button" onClick={close}>
        {words.close}
      </button>
    </Sheet>
  );
}

function SingleKeys() {
  const [isOn, setOn] = useState(areSingleKeysOn);
  const change = (next: boolean) => {
    switchSingleKeys(next);
    setOn(next);
  };
  return (
    <div className="choices">
      <label>
        <input
          type="checkbox"
          className="tick"
          checked={isOn}
          onChange={(event) => change(event.target.checked)}
        />
        {words.single}
      </label>
      <p className="dim">{words.singleHint}</p>
    </div>
  );
}
