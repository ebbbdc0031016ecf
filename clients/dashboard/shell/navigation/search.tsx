import { Dialog } from "@base-ui/react/dialog";
import { useNavigate } from "@tanstack/react-router";
import { Search as SearchIcon } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { SearchHit } from "../../../typescript/types.gen.ts";
import { problemOf } from "../../api/client/problem.ts";
import { searchNow, useSearch } from "../../api/search.ts";
import { inWords } from "../../parts/values/in-words.ts";
import { masked } from "../../parts/values/masked.ts";
import { Moment } from "../../parts/values/moment.tsx";
import { money } from "../../parts/values/money.ts";
import { usePaused } from "../../parts/form/paused.ts";
import { visible } from "../../parts/values/visible-text.ts";
import { orderTexts } from "../../texts/orders.ts";
import { shellTexts } from "../../texts/shell.ts";
import { useShortcuts } from "./shortcut.ts";

const { search: words } = shellTexts;

/** A click, `/` and Ctrl K open it. */
export function Search() {
  const [isOpen, setOpen] = useState(false);
  const closings = useRef(0);
  const change = (next: boolean) => {
    if (!next) closings.current += 1;
    setOpen(next);
  };
  useShortcuts({ "/": () => setOpen(true) });
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <Dialog.Root open={isOpen} onOpenChange={change}>
      <Dialog.Trigger className="search">
        <SearchIcon aria-hidden />
        <span>{words.label}</span>
        <kbd aria-hidden>{words.keys}</kbd>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="sheet" aria-label={words.label}>
          <SearchForm closings={closings} close={() => change(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface SearchFormProps {
  /** How often the search was closed. Its form stays mounted for a moment after that. */
  readonly closings: RefObject<number>;
  readonly close: () => void;
}

/** A text field with its results below. The arrow keys move to the results, and Enter in the field opens the first. */
function SearchForm({ closings, close }: SearchFormProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const pageOf = usePages();
  const typed = text.trim();
  const paused = usePaused(typed);
  const found = useSearch(paused);
  // The results of the earlier text stay visible until the answer arrives, but can't be opened.
  const isOld = typed !== paused || found.isPlaceholderData;
  const open = (hit: SearchHit | undefined) => {
    const go = hit === undefined ? undefined : pageOf(hit);
    if (go === undefined) return;
    close();
    void go();
  };
  // A failure is shown by the search that follows the typing.
  const openFirst = () => {
    const before = closings.current;
    return searchNow(typed).then(
      ({ data }) => {
        // The text may have changed since, and the search may have been closed.
        if (closings.current === before && field.current?.value.trim() === typed)
          open(data.find((hit) => pageOf(hit) !== undefined));
      },
      () => undefined,
    );
  };
  return (
    <form
      className="search-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed !== "") void openFirst();
      }}
    >
      <label className="field">
        {words.label}
        <input
          ref={field}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={walk}
          maxLength={100}
          autoComplete="off"
        />
      </label>
      <ul className="found" aria-label={words.found} aria-busy={isOld}>
        {(typed === "" || paused === "" ? [] : (found.data?.data ?? [])).map((hit) => (
          <li key={hit.id}>
            <button
              type="button"
              disabled={isOld || pageOf(hit) === undefined}
              onKeyDown={walk}
              onClick={() => open(hit)}
            >
              {titleOf(hit)}
              <Remark hit={hit} />
            </button>
          </li>
        ))}
      </ul>
      <p className="dim" aria-live="polite">
        {noteOf(typed, isOld, found)}
      </p>
    </form>
  );
}

/** The arrow keys move the focus between the field and what was found. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const form = event.currentTarget.closest("form");
  const stops = [...(form?.querySelectorAll<HTMLElement>("input, button:enabled") ?? [])];
  const next = stops.findIndex((stop) => stop === document.activeElement) + step;
  stops.at(next % stops.length)?.focus();
}

/** The way to the page of what was found; undefined for what has no page of its own. */
function usePages(): (hit: SearchHit) => (() => Promise<void>) | undefined {
  const navigate = useNavigate();
  return ({ kind, id }) => {
    if (kind === "PaymentOrder") return () => navigate({ to: "/orders/$id", params: { id } });
    if (kind === "Counterparty") return () => navigate({ to: "/counterparties/$id", params: { id } });
    if (kind === "LedgerAccount") return () => navigate({ to: "/ledger/$id", params: { id } });
    if (kind === "InboundPayment") return () => navigate({ to: "/inbound/$id", params: { id } });
    if (kind === "Obligation") return () => navigate({ to: "/obligations/$id", params: { id } });
    if (kind === "VirtualAccount") return () => navigate({ to: "/virtual-accounts/$id", params: { id } });
    return undefined;
  };
}

/** The title of an obligation is its type. */
function titleOf({ kind, title, id }: SearchHit): string {
  return visible(kind === "Obligation" && title !== null ? inWords(title) : (title ?? id));
}

/** What tells one hit from others like it. */
function Remark({ hit }: { hit: SearchHit }) {
  const { kind, amountCents, reference, status, rail, accountNumber, at } = hit;
  const parts = [
    words.kinds[kind],
    amountCents === null ? null : money(amountCents),
    rail === null ? null : orderTexts.rails[rail],
    accountNumber === null ? null : masked(accountNumber),
    reference,
    status,
  ];
  return (
    <small>
      {parts.flatMap((part) => (part === null ? [] : [visible(part)])).join(" · ")}
      {at !== null && (
        <>
          {" · "}
          <Moment at={at} />
        </>
      )}
    </small>
  );
}

function noteOf(
  text: string,
  isOld: boolean,
  { data, isError, error }: ReturnType<typeof useSearch>,
): string {
  if (text === "") return words.hint;
  if (isOld) return words.looking;
  if (isError) return problemOf(error).detail;
  if (data === undefined) return words.looking;
  if (data.unavailable.length > 0)
    return words.unavailable(data.unavailable.map((kind) => words.kinds[kind]).join(", "));
  return data.data.length === 0 ? words.nothing : "";
}
