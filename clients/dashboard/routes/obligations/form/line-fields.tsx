import { Plus, Trash2 } from "lucide-react";
import { useEffect, useRef } from "react";
import type { Basis } from "../../../../typescript/types.gen.ts";
import { Card } from "../../../parts/page/card.tsx";
import { ChoiceField, TextField } from "../../../parts/form/field.tsx";
import { obligationTexts } from "../../../texts/obligations.ts";
import { emptyLine, type LineDraft } from "./draft.ts";

const { form: words, bases } = obligationTexts;
const maxLines = 100;

interface LineFieldsProps {
  readonly lines: readonly LineDraft[];
  readonly change: (lines: readonly LineDraft[]) => void;
  /** What a figure may be based on. With one kind there is no choice. */
  readonly kinds: readonly Basis[];
  readonly faultAt: (pointer: string) => string | undefined;
}

/** The lines to type. The focus goes to a line that was added, and stays near one that was removed. */
export function LineFields({ lines, change, kinds, faultAt }: LineFieldsProps) {
  const list = useRef<HTMLDivElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const countBefore = useRef(lines.length);
  useEffect(() => {
    const before = countBefore.current;
    countBefore.current = lines.length;
    if (lines.length > before)
      list.current?.querySelector<HTMLInputElement>("fieldset:last-child input")?.focus();
    if (lines.length < before) addButton.current?.focus();
  }, [lines.length]);
  const set = (position: number, part: Partial<LineDraft>) =>
    change(lines.map((line, index) => (index === position ? { ...line, ...part } : line)));
  return (
    <Card title={words.lines}>
      <div className="form">
        {lines.length === 0 && <p className="dim">{words.noLines}</p>}
        <div ref={list} className={kinds.length > 1 ? "line-fields with-basis" : "line-fields"}>
          {lines.map((line, index) => (
            <fieldset key={index}>
              <legend className="hidden-visually">{words.line(index + 1)}</legend>
              <LineInputs
                line={line}
                set={(part) => set(index, part)}
                kinds={kinds}
                faultAt={(field) => faultAt(`/lines/${String(index)}${field}`)}
              />
              <button
                type="button"
                className="quiet"
                aria-label={words.remove(index + 1)}
                onClick={() => change(lines.filter((_, other) => other !== index))}
              >
                <Trash2 aria-hidden />
              </button>
            </fieldset>
          ))}
        </div>
        <div className="actions">
          <button
            ref={addButton}
            type="button"
            disabled={lines.length >= maxLines}
            onClick={() => change([...lines, emptyLine])}
          >
            <Plus aria-hidden /> {words.add}
          </button>
        </div>
      </div>
    </Card>
  );
}

interface LineInputsProps {
  readonly line: LineDraft;
  readonly set: (part: Partial<LineDraft>) => void;
  readonly kinds: readonly Basis[];
  readonly faultAt: (field: string) => string | undefined;
}

function LineInputs({ line, set, kinds, faultAt }: LineInputsProps) {
  return (
    <>
      <TextField
        label={words.description}
        fault={faultAt("/description")}
        maxLength={255}
        value={line.description}
        change={(description) => set({ description })}
      />
      <TextField
        label={words.amount}
        fault={faultAt("/amountCents")}
        inputMode="decimal"
        value={line.amount}
        change={(amount) => set({ amount })}
      />
      {kinds.length > 1 && (
        <ChoiceField
          label={words.basis}
          options={kinds.map((kind) => [kind, bases[kind]] as const)}
          value={line.kind}
          change={(kind) => set({ kind })}
          fault={faultAt("/basis/kind")}
        />
      )}
      <TextField
        label={words.source}
        fault={faultAt("/basis/source")}
        maxLength={255}
        value={line.source}
        change={(source) => set({ source })}
      />
    </>
  );
}
