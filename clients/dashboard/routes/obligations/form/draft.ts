import type { Basis, Obligation, ObligationPatch, ObligationType } from "../../../../typescript/types.gen.ts";
import { centsOf } from "../../../parts/values/cents-of.ts";
import { money } from "../../../parts/values/money.ts";
import { obligationTexts } from "../../../texts/obligations.ts";

const { form } = obligationTexts;

type Line = Obligation["lines"][number];

/** A line as typed. */
export interface LineDraft {
  readonly description: string;
  readonly amount: string;
  readonly kind: Basis;
  readonly source: string;
}

export const emptyLine: LineDraft = { description: "", amount: "", kind: "Actual", source: "" };

/** What the form holds, as typed. */
export interface ObligationDraft {
  readonly type: ObligationType;
  readonly reference: string;
  readonly jurisdiction: string;
  readonly period: string;
  /** Empty for nobody. */
  readonly payeeId: string;
  readonly lines: readonly LineDraft[];
}

export const emptyDraft: ObligationDraft = {
  type: "FuelTaxReturn",
  reference: "",
  jurisdiction: "",
  period: "",
  payeeId: "",
  lines: [emptyLine],
};

export function draftOf(obligation: Obligation): ObligationDraft {
  return {
    type: obligation.type,
    reference: obligation.reference,
    jurisdiction: obligation.jurisdiction ?? "",
    period: obligation.period ?? "",
    payeeId: obligation.payeeCounterpartyId ?? "",
    lines: obligation.lines.map(({ description, amountCents, basis: { kind, source } }) => ({
      description,
      amount: money(amountCents).replace("$", ""),
      kind,
      source,
    })),
  };
}

/** The typed lines, or undefined while one is not complete. */
export function linesOf(drafts: readonly LineDraft[]): Line[] | undefined {
  const lines = drafts.map(({ description, amount, kind, source }) => {
    const amountCents = centsOf(amount);
    if (amountCents === undefined || description.trim() === "" || source.trim() === "") return undefined;
    return { description: description.trim(), amountCents, basis: { kind, source: source.trim() } };
  });
  return lines.every((line) => line !== undefined) ? lines : undefined;
}

/** What an obligation still needs to be recorded, or null. */
export function missingIn({ reference, lines }: ObligationDraft): string | null {
  if (reference.trim() === "") return form.referenceMissing;
  if (lines.length === 0) return form.lineMissing;
  return linesOf(lines) === undefined ? form.incomplete : null;
}

/** The text of an optional field; undefined for none. */
export function textOf(typed: string): string | undefined {
  return typed.trim() === "" ? undefined : typed.trim();
}

/** The fields that the draft changes: another person may have changed the others. */
export function patchOf(draft: ObligationDraft, lines: Line[], before: Obligation): ObligationPatch {
  const reference = draft.reference.trim();
  const jurisdiction = textOf(draft.jurisdiction) ?? null;
  const period = textOf(draft.period) ?? null;
  const payee = textOf(draft.payeeId) ?? null;
  return {
    ...(reference === before.reference ? {} : { reference }),
    ...(jurisdiction === before.jurisdiction ? {} : { jurisdiction }),
    ...(period === before.period ? {} : { period }),
    ...(payee === before.payeeCounterpartyId ? {} : { payeeCounterpartyId: payee }),
    ...(isSame(lines, before.lines) ? {} : { lines }),
  };
}

export function isSame(lines: readonly Line[], others: readonly Line[]): boolean {
  return (
    lines.length === others.length &&
    lines.every((line, index) => {
      const other = others[index];
      return (
        line.description === other?.description &&
        line.amountCents === other.amountCents &&
        line.basis.kind === other.basis.kind &&
        line.basis.source === other.basis.source
      );
    })
  );
}
