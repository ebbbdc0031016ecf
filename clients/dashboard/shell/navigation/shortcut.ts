import { useEffect, useEffectEvent } from "react";

/** What takes letters. A tick box takes none, and has the focus after a click. */
const typedIn = "input:not([type=checkbox]), select, textarea, [contenteditable]";
const storedAs = "single-keys";

/** False if the reader has switched single keys off, because spoken words or slips would press them. */
export function areSingleKeysOn(): boolean {
  return localStorage.getItem(storedAs) !== "off";
}

/** For this browser, also after a sign-out. */
export function switchSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(storedAs);
  else localStorage.setItem(storedAs, "off");
  showSingleKeys();
}

/** Where keys do nothing, the page does not name them beside its buttons. */
function showSingleKeys(): void {
  document.documentElement.classList.toggle("no-single-keys", !areSingleKeysOn());
}
showSingleKeys();

/** True while the reader types, or a sheet is open: then letters are no commands. */
function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (document.querySelector("[role=dialog], [role=alertdialog], [role=menu]") !== null) return true;
  const { target } = event;
  return target instanceof HTMLElement && target.closest(typedIn) !== null;
}

/** Calls the action of a pressed key (`j`, `?`), unless keys are off, the reader types or a dialog is open. */
export function useShortcuts(actions: Readonly<Record<string, () => void>>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const action = actions[event.key.toLowerCase()];
    if (action === undefined || !areSingleKeysOn() || isTaken(event)) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, []);
}
